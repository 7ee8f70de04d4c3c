import { assertKnownOptions, type Responder } from '@switchyard/protocol';
import { connectOptions } from './connect-options.ts';
import type { HttpTransportOptions } from './http/http-options.ts';
import { createHttpTransport } from './http/http-transport.ts';
import { createSseTransport } from './http/sse-transport.ts';
import { createMemoryTransport } from './memory/memory-transport.ts';
import type { Transport } from './message/connection.ts';

/** A server on HTTP, with a choice of the transport. */
export interface HttpTarget {
  readonly url: string | URL;
  /**
   * `streamable-http` is the transport since revision 2025-03-26, `sse` the HTTP+SSE of 2024-11-05. Default: the first,
   * and the other one where the server takes no POST.
   */
  readonly transport?: 'streamable-http' | 'sse' | undefined;
}

/** A server on HTTP by its URL, one in this process, or a transport of one's own. */
export type Target = string | URL | HttpTarget | Responder | Transport;

/**
 * Answers the transport for a target; `undefined` for what is none of those that this entry knows. Throws a `TypeError`
 * for an {@link HttpTarget} with a member that it does not have, such as an option of `connect`.
 */
export function toTransport(target: unknown, http: Omit<HttpTransportOptions, 'url'>): Transport | undefined {
  if (typeof target === 'string' || target instanceof URL) return createHttpTransport({ ...http, url: target });
  if (typeof target !== 'object' || target === null) return undefined;
  if (isTransport(target)) return target;
  if (isHttpTarget(target)) {
    assertKnownOptions(
      'connect, the target',
      target,
      { url: true, transport: true },
      { 'connect, its second argument': connectOptions },
    );
    const { url, transport } = target;
    if (transport === 'sse') return createSseTransport({ ...http, url });
    return createHttpTransport({ ...http, url, fallsBackToSse: transport !== 'streamable-http' });
  }
  return isResponder(target) ? createMemoryTransport(target) : undefined;
}

function isHttpTarget(target: object): target is HttpTarget {
  if (!('url' in target) || !(typeof target.url === 'string' || target.url instanceof URL)) return false;
  const { transport } = target as { readonly transport?: unknown };
  return transport === undefined || transport === 'sse' || transport === 'streamable-http';
}

function isTransport(target: object): target is Transport {
  return 'open' in target && typeof target.open === 'function';
}

function isResponder(target: object): target is Responder {
  return 'respond' in target && typeof target.respond === 'function';
}

import type { Notification, Request, Response } from '@switchyard/protocol';
import { ClientError } from '../client-error.ts';
import type { Connection, HeaderFields, OpenOptions, Reply, RequestOptions, Transport } from '../connection.ts';
import { withAnySignal, withDeadline } from '../deadline.ts';
import { excerpt } from '../excerpt.ts';
import { encodeMessage, nameOfMessage } from '../message/encode-message.ts';
import type { PeerContext } from '../peer-context.ts';
import { describeUrl, type Endpoint, readEndpoint } from './endpoint.ts';
import { type FetchBodyReader, type FetchPool, type FetchResponse, openPlatformFetch } from './fetch.ts';
import { readAnswer, statusError } from './read-answer.ts';
import { readBeginning } from './read-body.ts';
import { secretsOf } from './secrets-of.ts';

export interface HttpTransportOptions {
  readonly url: string | URL;
  /** Headers of every request, such as credentials. Those that the protocol defines are set by the client and win. */
  readonly headers?: { readonly [name: string]: string } | undefined;
  /** Opens what requests go through; the platform's `fetch` by default. */
  readonly openPool?: (() => FetchPool) | undefined;
}

const ACCEPTED_TYPES = 'application/json, text/event-stream';
const MAX_DISCARDED_BYTES = 64 * 1024;
const LEFTOVER_MS = 1000;
const PARTING_MS = 2000;

/**
 * Creates the transport for a Streamable HTTP endpoint. Each message is a POST of its own; an answer is one JSON object
 * or an event stream. Redirects are refused, so that no credential reaches another place than the configured one.
 * Ending a request ends its stream. No message shows the query, user or password of the URL.
 *
 * Spec: basic/transports/streamable-http (2026-07-28).
 */
export function createHttpTransport(options: HttpTransportOptions): Transport {
  const { url, headers = {}, openPool = openPlatformFetch } = options;
  return {
    name: describeUrl(url),
    secrets: secretsOf(url, headers),
    open({ context, handlers }) {
      return Promise.resolve().then(() => {
        const endpoint = readEndpoint(context, url, headers);
        return openHttpConnection(endpoint, openPool(), { context, handlers });
      });
    },
  };
}

/** The answer to a message that gets none of its own. */
interface Acceptance {
  readonly response: FetchResponse;
  readonly what: string;
  readonly signal: AbortSignal;
}

function openHttpConnection(
  endpoint: Endpoint,
  pool: FetchPool,
  { context, handlers }: Pick<OpenOptions, 'context' | 'handlers'>,
): Connection {
  const closing = new AbortController();
  const closed = Promise.withResolvers<ClientError | undefined>();
  let closes: Promise<void> | undefined;

  return { kind: 'http', request, send, closed: closed.promise, close };

  function request(message: Request, options: RequestOptions): Promise<Reply> {
    return withAnySignal([options.signal, closing.signal], async (signal) => {
      const response = await exchange('POST', message.method, { message, headers: options.headers, signal });
      try {
        return await readAnswer(response, {
          context,
          handlers,
          request: message,
          onNotification: options.onNotification,
          onLeftover: (reader) => void dropLeftover(reader, context),
        });
      } catch (error) {
        throw brokenOff(error, signal, message.method);
      }
    });
  }

  function send(
    message: Notification | Response,
    options: { readonly headers?: HeaderFields; readonly signal?: AbortSignal } = {},
  ): Promise<void> {
    const what = nameOfMessage(message);
    return withAnySignal([options.signal, closing.signal], async (signal) => {
      const response = await exchange('POST', what, { message, headers: options.headers, signal });
      await assertAccepted({ response, what, signal });
    });
  }

  /** A courtesy: a server that does not take it lets the session expire. */
  async function endSession(headers: HeaderFields): Promise<void> {
    try {
      await withDeadline(context, { what: 'the end of the session', totalMs: PARTING_MS }, async ({ signal }) => {
        const response = await exchange('DELETE', 'the end of the session', { headers, signal });
        await response.body?.cancel();
      });
    } catch {
      // See above.
    }
  }

  async function exchange(
    method: 'POST' | 'DELETE',
    what: string,
    init: {
      readonly message?: Request | Notification | Response;
      readonly headers: HeaderFields | undefined;
      readonly signal: AbortSignal;
    },
  ): Promise<FetchResponse> {
    const { signal } = init;
    signal.throwIfAborted();
    const fields: { [name: string]: string } = { ...endpoint.headers, accept: ACCEPTED_TYPES };
    if (init.message !== undefined) fields['content-type'] = 'application/json';
    for (const [name, value] of Object.entries(init.headers ?? {})) fields[name.toLowerCase()] = value;
    const body = init.message === undefined ? {} : { body: encodeMessage(context, init.message) };
    try {
      return await pool.fetch(endpoint.url, { method, headers: fields, ...body, signal, redirect: 'manual' });
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      throw context.fail(
        'connect-failed',
        `${endpoint.shown} gave no HTTP answer to ${what}: ${describeFailedFetch(error)}`,
        { cause: error },
      );
    }
  }

  /** The status says it all; a body is not waited for, since some servers answer with a stream that never ends. */
  async function assertAccepted({ response, what, signal }: Acceptance): Promise<void> {
    if (response.status >= 200 && response.status < 300) {
      if (response.body !== null) void dropLeftover(response.body.getReader(), context);
      return;
    }
    const { bytes } = await readBeginning(response.body, MAX_DISCARDED_BYTES);
    signal.throwIfAborted();
    throw statusError(context, response, what, new TextDecoder().decode(bytes));
  }

  function brokenOff(error: unknown, signal: AbortSignal, what: string): unknown {
    if (signal.aborted) return signal.reason;
    if (error instanceof ClientError) return error;
    return context.fail(
      'closed',
      `the connection broke before the answer to ${what} was complete: ${describeCause(error)}.`,
      {
        cause: error,
      },
    );
  }

  function close(session?: HeaderFields): Promise<void> {
    closes ??= (async () => {
      closing.abort(context.fail('closed', 'the client was closed.'));
      closed.resolve(undefined);
      if (session !== undefined) await endSession(session);
      await pool.close();
    })();
    return closes;
  }
}

/** Lets a stream end by itself after its answer, so that its socket can be used again; one that goes on is cut off. */
async function dropLeftover(reader: FetchBodyReader, context: PeerContext): Promise<void> {
  const cancel = (): void => {
    reader.cancel().catch(() => {
      // The stream is over either way, and nobody waits for it.
    });
  };
  const stop = context.clock.after(LEFTOVER_MS, cancel);
  try {
    let left = MAX_DISCARDED_BYTES;
    while (left > 0) {
      const { done, value } = await reader.read();
      if (done) return;
      left -= value?.length ?? 0;
    }
    cancel();
  } catch {
    // As above: the answer is complete, so how the stream ends changes nothing.
  } finally {
    stop();
  }
}

/** What TLS reads where the other side speaks plain HTTP. */
const answersWithoutTls: ReadonlySet<unknown> = new Set([
  'ERR_SSL_WRONG_VERSION_NUMBER',
  'ERR_SSL_PACKET_LENGTH_TOO_LONG',
]);

function describeFailedFetch(error: unknown): string {
  const innermost = innermostOf(error);
  if (innermost instanceof Error && 'code' in innermost && answersWithoutTls.has(innermost.code))
    return 'the server does not speak TLS. Look whether its URL begins with http:// in place of https://.';
  return `${describeCause(error)}. Look whether the URL is right and the server is running.`;
}

function describeCause(error: unknown): string {
  const innermost = innermostOf(error);
  if (!(innermost instanceof Error)) return excerpt(String(innermost));
  return excerpt(innermost.message === '' ? innermost.name : innermost.message);
}

/** The innermost cause says what happened; a fetch function wraps it in a message without content. */
function innermostOf(error: unknown): unknown {
  let innermost = error;
  for (let depth = 0; depth < 5 && innermost instanceof Error && innermost.cause !== undefined; depth += 1) {
    innermost = innermost.cause;
  }
  return innermost instanceof AggregateError && innermost.errors.length > 0 ? innermost.errors[0] : innermost;
}

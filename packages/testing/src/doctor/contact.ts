import { errorCodes, httpHeaders, isJsonObject, type JsonObject } from '@switchyard/protocol';

import { mirroredHeaders } from '../raw/modern-message.ts';
import { initializeRequest, modernRequest } from './greeting-messages.ts';
import { errorIn, type Heard, isNothingThere, resultIn } from './heard.ts';
import type { HttpPeer, Watched } from './http-peer.ts';
import type { StdioPeer } from './stdio-peer.ts';

/** What came of the first words with a server, which several steps look at. */
export interface Contact {
  /** The answer to `server/discover`, which is asked first. */
  readonly discover: Heard;
  /** The answer to `initialize`, where the first one was not that of a modern server. */
  readonly initialize?: Heard;
  /** What came of a GET, where no POST is taken. */
  readonly sse?: Watched;
  /** Absent where no revision could be told; `sse` is the transport of 2024-11-05. */
  readonly era?: 'modern' | 'legacy' | 'sse';
  /** The result of whichever of the two was answered. */
  readonly greeting?: JsonObject;
  /** Of a legacy server over HTTP. */
  readonly sessionId?: string;
}

/** Over stdio a legacy server may be silent about what it does not know. */
const PROBE_MS = 5_000;
/** Statuses that say nothing about the revision: the next request would get the same. */
const saysNothing = new Set([401, 403, 407, 413, 429]);
const ENDPOINT_EVENT = /(?:^|\n)event: ?endpoint\b/;

/** Has the first words with a server over HTTP: discovery, `initialize`, and what is left of the oldest transport. */
export async function meetOverHttp(peer: HttpPeer): Promise<Contact> {
  const message = modernRequest(1, 'server/discover');
  const discover = await peer.ask({ message, headers: mirroredHeaders(message) });
  if (isModern(discover)) return modernContact(discover);
  const { status = 0, failure } = discover;
  const isLost = failure !== undefined && failure.kind !== 'timeout';
  if (isLost || saysNothing.has(status) || status >= 500 || (status >= 300 && status < 400)) return { discover };
  const initialize = await peer.ask({ message: initializeRequest(2) });
  const greeting = greetingIn(initialize);
  if (greeting !== undefined) {
    const sessionId = initialize.header(httpHeaders.sessionId.key);
    return { discover, initialize, era: 'legacy', greeting, ...(sessionId === undefined ? {} : { sessionId }) };
  }
  const isOther = isNothingThere(initialize) || (initialize.status === 400 && initialize.response === undefined);
  if (!isOther) return { discover, initialize };
  const sse = await peer.watch({}, { forMs: PROBE_MS, isEnough: (text) => ENDPOINT_EVENT.test(text) });
  const isSse = sse.status === 200 && ENDPOINT_EVENT.test(sse.text);
  return { discover, initialize, sse, ...(isSse ? { era: 'sse' as const } : {}) };
}

/**
 * Has the first words with a process. One that ends on the first is started once more and gets `initialize` at once, as
 * a client does.
 */
export async function meetOverStdio(start: () => Promise<StdioPeer>, timeoutMs: number): Promise<Contact> {
  let peer = await start();
  const discover = await peer.ask(modernRequest(1, 'server/discover'), Math.min(timeoutMs, PROBE_MS));
  if (isModern(discover)) return modernContact(discover);
  if (discover.failure?.kind === 'closed') peer = await start();
  const initialize = await peer.ask(initializeRequest(2), timeoutMs);
  const greeting = greetingIn(initialize);
  return { discover, initialize, ...(greeting === undefined ? {} : { era: 'legacy' as const, greeting }) };
}

function modernContact(discover: Heard): Contact {
  const greeting = resultIn(discover);
  return { discover, era: 'modern', ...(greeting === undefined ? {} : { greeting }) };
}

/** A refusal of the version proves a modern server as well as a discovery does. */
function isModern(heard: Heard): boolean {
  if (errorIn(heard)?.['code'] === errorCodes.unsupportedProtocolVersion.code) return true;
  const result = resultIn(heard);
  return result !== undefined && Array.isArray(result['supportedVersions']) && isJsonObject(result['capabilities']);
}

function greetingIn(heard: Heard): JsonObject | undefined {
  const result = resultIn(heard);
  return typeof result?.['protocolVersion'] === 'string' ? result : undefined;
}

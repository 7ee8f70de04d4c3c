import type { Clock } from '@switchyard/client';
import { httpHeaders, isJsonObject, type JsonObject, modernErrorCodes } from '@switchyard/protocol';

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
 * Has the first words with a process, as a client does. One that is silent gets `initialize`, too, and what is answered
 * first decides: a slow start costs no server its era. One that ends before it was greeted is started once more and gets
 * `initialize` at once.
 */
export async function meetOverStdio(
  start: () => Promise<StdioPeer>,
  { timeoutMs, clock }: { readonly timeoutMs: number; readonly clock: Clock },
): Promise<Contact> {
  const peer = await start();
  const probeMs = Math.min(timeoutMs, PROBE_MS);
  const discovering = peer.ask(modernRequest(1, 'server/discover'), probeMs + timeoutMs);
  let discover = await within(clock, probeMs, discovering);
  if (discover !== undefined && isModern(discover)) return modernContact(discover);
  if (discover?.failure?.kind !== 'closed') {
    const greeting = peer.ask(initializeRequest(2), timeoutMs);
    // What refuses initialize may still turn out to be modern.
    const unlessGreeted = (heard: Heard): typeof discovering | undefined =>
      greetingIn(heard) === undefined ? discovering : undefined;
    discover ??= await Promise.race([discovering, greeting.then(unlessGreeted)]);
    if (discover !== undefined && isModern(discover)) return modernContact(discover);
    const initialize = await greeting;
    if (initialize.failure?.kind !== 'closed') return greetedContact(discover ?? silentFor(probeMs), initialize);
  }
  const again = await start();
  return greetedContact(discover ?? silentFor(probeMs), await again.ask(initializeRequest(2), timeoutMs));
}

function greetedContact(discover: Heard, initialize: Heard): Contact {
  const greeting = greetingIn(initialize);
  return { discover, initialize, ...(greeting === undefined ? {} : { era: 'legacy' as const, greeting }) };
}

function silentFor(ms: number): Heard {
  const failure = { kind: 'timeout', code: '', message: `nothing came within ${ms} ms` } as const;
  return { text: '', header: () => undefined, elapsedMs: ms, failure };
}

async function within<T>(clock: Clock, ms: number, work: Promise<T>): Promise<T | undefined> {
  const over = Promise.withResolvers<undefined>();
  const stop = clock.after(ms, () => over.resolve(undefined));
  try {
    return await Promise.race([work, over.promise]);
  } finally {
    stop();
  }
}

function modernContact(discover: Heard): Contact {
  const greeting = resultIn(discover);
  return { discover, era: 'modern', ...(greeting === undefined ? {} : { greeting }) };
}

/** An error that only modern servers send proves one as well as a discovery does. */
function isModern(heard: Heard): boolean {
  const code = errorIn(heard)?.['code'];
  if (typeof code === 'number' && modernErrorCodes.has(code)) return true;
  const result = resultIn(heard);
  return result !== undefined && Array.isArray(result['supportedVersions']) && isJsonObject(result['capabilities']);
}

function greetingIn(heard: Heard): JsonObject | undefined {
  const result = resultIn(heard);
  return typeof result?.['protocolVersion'] === 'string' ? result : undefined;
}

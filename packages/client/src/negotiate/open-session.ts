import { ProtocolError } from '@switchyard/protocol';
import type { Connection } from '../message/connection.ts';
import { ClientError } from '../peer/client-error.ts';
import type { PeerContext } from '../peer/peer-context.ts';
import { withAnySignal } from '../timing/with-any-signal.ts';
import { within } from '../timing/within.ts';
import type { Session } from '../session/session.ts';
import { describeFailure, isOtherEndpoint } from './describe-failure.ts';
import { contradicts } from '../session/era-evidence.ts';
import type { EraVerdict } from './era-verdict.ts';
import { greetOnDuplex, openOnDuplex } from './open-on-duplex.ts';
import { probe } from './probe.ts';
import { type Opened, openConnection, type SessionSetup } from './session-setup.ts';

/** What is known of a server before a session is opened. */
export interface PriorKnowledge {
  readonly verdict: EraVerdict;
  /** Whether this client found out itself, and not one before it, maybe long ago. */
  readonly isOwn: boolean;
}

/** A session and how it was come by. */
export interface OpenedSession {
  readonly session: Session;
  readonly verdict: EraVerdict;
}

/**
 * Opens a session with a server of any era; nothing stays open when it rejects. The modern era is tried first. Over
 * HTTP `initialize` follows when the answer to the probe is that of a legacy server, and the older transport, if there
 * is one, when that is refused like a method that the endpoint does not have; on a duplex connection {@link
 * openOnDuplex} says when, and a process that ended meanwhile is started once more and gets `initialize` at once.
 *
 * With prior knowledge of a legacy server `initialize` comes first, over the transport that it was reached by. Where
 * the answer contradicts what was known, the era is found out as if nothing had been; over HTTP also where the answer is
 * of no use, and beside it where the server says nothing for the probe time, not even that it is busy. What this client
 * knows itself of a process is not guessed anew: its next process gets what belongs to it, and answers once before a
 * session is there, so that no call is written to a process that never comes up.
 *
 * Spec: basic/versioning, basic/transports/stdio#backward-compatibility,
 * basic/transports/streamable-http#backward-compatibility (2026-07-28).
 */
export async function openSession(
  setup: SessionSetup,
  known: PriorKnowledge | undefined,
  signal: AbortSignal,
): Promise<OpenedSession> {
  if (known?.verdict.era === 'legacy') return openAsKnown(setup, known.verdict, signal);
  const isKnownModern = known?.isOwn === true && known.verdict.era === 'modern';
  return findOut(setup, isKnownModern, signal);
}

/** How long a server that refused POSTs is waited for to name an endpoint of the older transport, in milliseconds. */
const MAX_GUESS_MS = 2000;

/** With these a server of another era may meet `initialize`; others of their kind say only that nobody is there. */
const statusesOfFailure: ReadonlySet<number | undefined> = new Set([500, 501]);

function mayBeOfOtherEra(error: unknown): boolean {
  if (!(error instanceof ClientError)) return error instanceof ProtocolError;
  if (error.code === 'http-status') return statusesOfFailure.has(error.status);
  return error.code === 'closed' || error.code === 'timeout';
}

async function openAsKnown(setup: SessionSetup, verdict: EraVerdict, signal: AbortSignal): Promise<OpenedSession> {
  const { context, probeTimeoutMs } = setup;
  const decided = new AbortController();
  let isHttp = verdict.transport === 'sse';
  let isBusy = false;
  const onBusy = (): void => void (isBusy = true);
  const onConnection = (connection: Connection): void => {
    isHttp ||= connection.kind === 'http';
    setup.onConnection?.(connection);
  };
  return withAnySignal([signal, decided.signal], async (until) => {
    const opening = openKnownLegacy({ ...setup, onConnection, onBusy }, verdict, until);
    try {
      const early = await within(context.clock, probeTimeoutMs, opening);
      if (early !== undefined) return early;
      // On a duplex connection the probe goes over the same stream.
      if (!isHttp || isBusy) return await opening;
    } catch (error) {
      if (signal.aborted || !(contradicts(error) || (isHttp && mayBeOfOtherEra(error)))) throw error;
      setup.onNewStart?.();
      return findOut(setup, false, signal);
    }
    setup.onNewStart?.();
    const finding = findOut(setup, false, until);
    const first = await Promise.any([opening, finding]).catch(() => finding);
    decided.abort(context.fail('aborted', 'the era of the server is decided.'));
    for (const each of [opening, finding]) {
      // One that failed has nothing to close, and whoever waits gets the error of the other.
      void each.then((late) => (late === first ? undefined : late.session.close())).catch(() => undefined);
    }
    return first;
  });
}

async function openKnownLegacy(setup: SessionSetup, verdict: EraVerdict, signal: AbortSignal): Promise<OpenedSession> {
  const { older } = setup.transport;
  if (verdict.transport === 'sse' && older !== undefined) return openOlder({ ...setup, transport: older }, signal);
  return openedOf(await withConnection(setup, signal, (opened) => greetOnDuplex(setup, opened, signal)));
}

async function findOut(setup: SessionSetup, isKnownModern: boolean, signal: AbortSignal): Promise<OpenedSession> {
  let outcome: Session | 'ended';
  let isOlder = false;
  try {
    outcome = await withConnection(setup, signal, (opened) => {
      isOlder = opened.connection.era === 'legacy';
      if (isOlder) return opened.greet(signal);
      const isGuessed = !isKnownModern && opened.connection.kind === 'duplex';
      return isGuessed ? openOnDuplex(setup, opened, signal) : openByAnswer(setup.context, opened, signal);
    });
  } catch (error) {
    const { older } = setup.transport;
    if (older === undefined || !isOtherEndpoint(error)) throw error;
    return await tryOlder({ ...setup, transport: older }, signal, error);
  }
  if (outcome !== 'ended') return openedOf(outcome, isOlder ? 'sse' : undefined);
  const restarted = await withConnection(setup, signal, async ({ greet }) => {
    try {
      return await greet(signal);
    } catch (error) {
      throw describeFailure(setup.context, error, 'its process ended when it was asked for server/discover');
    }
  });
  return openedOf(restarted);
}

/** Opens over the transport of older servers, which say at once where messages go. */
async function openOlder(setup: SessionSetup, signal: AbortSignal): Promise<OpenedSession> {
  const session = await withConnection(setup, signal, ({ greet }) => greet(signal));
  return openedOf(session, 'sse');
}

/**
 * The same where it is a guess: one that fails like the newer transport, or is silent for the probe time or for two
 * seconds, rejects with `before`, which says more.
 */
function tryOlder(setup: SessionSetup, signal: AbortSignal, before: unknown): Promise<OpenedSession> {
  const { context, probeTimeoutMs } = setup;
  const guess = new AbortController();
  return withAnySignal([signal, guess.signal], async (until) => {
    const opening = openOlder(setup, until);
    try {
      const opened = await within(context.clock, Math.min(probeTimeoutMs, MAX_GUESS_MS), opening);
      if (opened !== undefined) return opened;
    } catch (error) {
      const isNoAnswer = error instanceof ClientError && (contradicts(error) || error.code === 'closed');
      throw isNoAnswer && !signal.aborted ? before : error;
    }
    guess.abort(context.fail('aborted', 'the server names no endpoint for messages.'));
    // It was given up: it rejects, unless it came just now.
    await opening.then(({ session }) => session.close()).catch(() => undefined);
    throw before;
  });
}

function openedOf(session: Session, transport?: 'sse'): OpenedSession {
  const { era, facts } = session;
  return { session, verdict: { era, revision: facts.revision, ...(transport === undefined ? {} : { transport }) } };
}

async function withConnection<T extends Session | 'ended'>(
  setup: SessionSetup,
  signal: AbortSignal,
  open: (opened: Opened) => Promise<T>,
): Promise<T> {
  const opened = await openConnection(setup, signal);
  const close = (): Promise<void> =>
    opened.connection.close().catch(() => {
      // What went wrong before says more than what went wrong while cleaning up.
    });
  try {
    const session = await open(opened);
    if (session === 'ended') await close();
    return session;
  } catch (error) {
    await close();
    throw error;
  }
}

/** Waits for the probe's answer, where nothing else can be told from: over HTTP, and of a server that was modern. */
async function openByAnswer(context: PeerContext, { modern, greet }: Opened, signal: AbortSignal): Promise<Session> {
  const outcome = await probe(modern, signal);
  if (outcome.kind === 'modern') return outcome.session;
  if (outcome.kind !== 'legacy') throw outcome.error;
  try {
    return await greet(signal);
  } catch (error) {
    throw describeFailure(context, error, outcome.reason);
  }
}

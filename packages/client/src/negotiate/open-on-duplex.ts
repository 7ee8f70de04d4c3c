import { ClientError } from '../peer/client-error.ts';
import { withAnySignal } from '../timing/with-any-signal.ts';
import { within } from '../timing/within.ts';
import type { PeerContext } from '../peer/peer-context.ts';
import type { Session } from '../session/session.ts';
import { describeFailure } from './describe-failure.ts';
import { probe, type ProbeOutcome } from './probe.ts';
import type { Opened, SessionSetup } from './session-setup.ts';

/**
 * Finds the era of the server on a duplex connection and opens the session, or answers `ended` when it ended meanwhile,
 * as some legacy servers end when a request precedes `initialize`, with an answer or without.
 *
 * The probe goes first. A server that is silent for the probe time gets `initialize` on the same stream while the probe
 * goes on, and what it answers first decides: a slow start costs no server its era. Where `initialize` fails, the probe
 * gets that time once more.
 *
 * Spec: basic/transports/stdio#backward-compatibility (2026-07-28).
 */
export function openOnDuplex(setup: SessionSetup, opened: Opened, signal: AbortSignal): Promise<Session | 'ended'> {
  const decided = new AbortController();
  return withAnySignal([signal, decided.signal], async (until) => {
    try {
      return await race(setup, opened, until);
    } finally {
      decided.abort(setup.context.fail('aborted', 'the era of the server is decided.'));
    }
  });
}

async function race(setup: SessionSetup, opened: Opened, signal: AbortSignal): Promise<Session | 'ended'> {
  const { context, probeTimeoutMs } = setup;
  const probing = probe(opened.modern, signal);
  const early = await within(context.clock, probeTimeoutMs, probing);
  if (early !== undefined) return settle(context, early, () => opened.greet(signal));

  const greeting = opened.greet(signal);
  const greeted = greeting.then(
    (session): Greeting => ({ kind: 'session', session }),
    (error: unknown): Greeting => ({ kind: 'failed', error }),
  );
  const late = await Promise.race([probing, greeted]);
  if (late.kind === 'session') return late.session;
  if (late.kind !== 'failed') {
    // The server was slow, not old: what it makes of initialize no longer matters.
    if (late.kind !== 'legacy') opened.refuseRequests();
    return settle(context, late, () => greeting);
  }
  if (isEnd(late.error)) return 'ended';
  const last = await within(context.clock, probeTimeoutMs, probing);
  if (last?.kind !== 'modern') {
    throw describeFailure(context, late.error, `server/discover got no answer in ${probeTimeoutMs} ms`);
  }
  opened.refuseRequests();
  return last.session;
}

/**
 * Opens a session with a server that was of a legacy revision when it was last met: `initialize` goes first. On a
 * duplex connection one that is silent for the probe time gets the probe on the same stream, too, and what is answered
 * first decides. Rejects as opening a legacy session does.
 */
export async function greetOnDuplex(setup: SessionSetup, opened: Opened, signal: AbortSignal): Promise<Session> {
  if (opened.connection.kind === 'http' || opened.connection.era === 'legacy') return opened.greet(signal);
  const decided = new AbortController();
  return withAnySignal([signal, decided.signal], async (until) => {
    try {
      const greeting = opened.greet(until);
      const early = await within(setup.context.clock, setup.probeTimeoutMs, greeting);
      if (early !== undefined) return early;
      const modern = probe(opened.modern, until).then((outcome) => {
        // Whatever else it comes to says less than how initialize ends.
        return outcome.kind === 'modern' ? outcome.session : greeting;
      });
      const session = await Promise.race([greeting, modern]);
      if (session.era === 'modern') opened.refuseRequests();
      return session;
    } finally {
      decided.abort(setup.context.fail('aborted', 'the era of the server is decided.'));
    }
  });
}

type Greeting =
  { readonly kind: 'session'; readonly session: Session } | { readonly kind: 'failed'; readonly error: unknown };

/** Acts on what the probe came to. */
async function settle(
  context: PeerContext,
  outcome: ProbeOutcome,
  initialize: () => Promise<Session>,
): Promise<Session | 'ended'> {
  if (outcome.kind === 'modern') return outcome.session;
  if (outcome.kind === 'legacy') {
    try {
      return await initialize();
    } catch (error) {
      if (isEnd(error)) return 'ended';
      throw describeFailure(context, error, outcome.reason);
    }
  }
  if (isEnd(outcome.error)) return 'ended';
  throw outcome.error;
}

/** Answers whether the connection ended, and not merely one request. */
function isEnd(error: unknown): boolean {
  return error instanceof ClientError && (error.code === 'start-failed' || error.code === 'closed');
}

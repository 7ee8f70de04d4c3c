import { openLegacySession } from '../legacy/legacy-session.ts';
import { createModernRequests, createModernSession } from '../modern/modern-session.ts';
import type { ServerFacts, Session } from '../session.ts';
import { describeFailure } from './describe-failure.ts';
import { openOnDuplex } from './open-on-duplex.ts';
import { probe } from './probe.ts';
import { type Opened, openConnection, type SessionSetup } from './session-setup.ts';

/** What an earlier session learned about a server, which holds for its next process, too. */
export interface KnownServer {
  readonly era: Session['era'];
  readonly facts: ServerFacts;
}

/**
 * Opens a session with a server of any era; nothing stays open when it rejects. The modern era is tried first, unless
 * the era is known from before. Over HTTP `initialize` follows when the answer to the probe is that of a legacy server;
 * on a duplex connection {@link openOnDuplex} says when, and a process that ended meanwhile is started once more and
 * gets `initialize` at once.
 *
 * Spec: basic/versioning, basic/transports/stdio#backward-compatibility,
 * basic/transports/streamable-http#backward-compatibility (2026-07-28).
 */
export async function openSession(
  setup: SessionSetup,
  known: KnownServer | undefined,
  signal: AbortSignal,
): Promise<Session> {
  const session = await withConnection(setup, signal, (opened) => {
    if (known !== undefined) return resume(opened, known, signal);
    return opened.connection.kind === 'http' ? openByAnswer(opened, signal) : openOnDuplex(setup, opened, signal);
  });
  if (session !== 'ended') return session;
  const restarted = await withConnection(setup, signal, async ({ legacy }) => {
    try {
      return await openLegacySession(legacy, signal);
    } catch (error) {
      throw describeFailure(setup.context, error, 'its process ended when it was asked for server/discover');
    }
  });
  return restarted;
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

async function resume({ modern, legacy }: Opened, known: KnownServer, signal: AbortSignal): Promise<Session> {
  if (known.era === 'legacy') return openLegacySession(legacy, signal);
  return createModernSession(modern, createModernRequests(modern), known.facts);
}

/** Every request has its own exchange, so either the probe's answer comes or its failure does. */
async function openByAnswer({ modern, legacy }: Opened, signal: AbortSignal): Promise<Session> {
  const outcome = await probe(modern, signal);
  if (outcome.kind === 'modern') return outcome.session;
  if (outcome.kind !== 'legacy') throw outcome.error;
  try {
    return await openLegacySession(legacy, signal);
  } catch (error) {
    throw describeFailure(legacy.context, error, outcome.reason);
  }
}

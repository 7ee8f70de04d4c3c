import { openLegacySession } from '../legacy/legacy-session.ts';
import type { Session } from '../session.ts';
import { describeFailure } from './describe-failure.ts';
import { openOnDuplex } from './open-on-duplex.ts';
import { probe } from './probe.ts';
import { type Opened, openConnection, type SessionSetup } from './session-setup.ts';

/**
 * Opens a session with a server of any era; nothing stays open when it rejects. The modern era is tried first. Over
 * HTTP `initialize` follows when the answer to the probe is that of a legacy server; on a duplex connection {@link
 * openOnDuplex} says when, and a process that ended meanwhile is started once more and gets `initialize` at once.
 *
 * `knownEra` is that of an earlier session. Its next process gets what belongs to it without a guess; either way it
 * answers once before a session is there, so that no call is written to a process that never comes up.
 *
 * Spec: basic/versioning, basic/transports/stdio#backward-compatibility,
 * basic/transports/streamable-http#backward-compatibility (2026-07-28).
 */
export async function openSession(
  setup: SessionSetup,
  knownEra: Session['era'] | undefined,
  signal: AbortSignal,
): Promise<Session> {
  const session = await withConnection(setup, signal, (opened) => {
    if (knownEra === 'legacy') return openLegacySession(opened.legacy, signal);
    const isGuessed = knownEra === undefined && opened.connection.kind === 'duplex';
    return isGuessed ? openOnDuplex(setup, opened, signal) : openByAnswer(opened, signal);
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

/** Waits for the probe's answer, where nothing else can be told from: over HTTP, and of a server that was modern. */
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

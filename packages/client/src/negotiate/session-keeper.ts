import type { Connection } from '../connection.ts';
import { pause, untilAborted, withDeadline } from '../deadline.ts';
import type { Session } from '../session.ts';
import { openSession } from './open-session.ts';
import type { SessionSetup } from './session-setup.ts';

/** Keeps one session alive over the ends of its connections. */
export interface SessionKeeper {
  /**
   * Answers the live session, opening one where there is none: callers that come meanwhile share it. Rejects as opening
   * does, with code `closed` after {@link close}, or with the reason of `signal`, which ends the waiting and not the
   * opening.
   */
  session(signal: AbortSignal): Promise<Session>;
  /** Ends the session and opens none any more. */
  close(): Promise<void>;
}

/** A connection that lasted this long counts as healthy. */
const HEALTHY_MS = 10_000;
const FIRST_DELAY_MS = 100;
const MAX_DELAY_MS = 5000;

/**
 * Creates the keeper of a client. It opens nothing until it is asked. A server that ended is started again by the next
 * caller, at once the first time; one that keeps ending within ten seconds is started after 100 ms, then twice that,
 * and so on up to five seconds. Requests that were under way are not repeated: whether they were executed is not known.
 *
 * Spec: basic/transports/stdio#unexpected-termination (2026-07-28).
 */
export function createSessionKeeper(setup: SessionSetup): SessionKeeper {
  const { context } = setup;
  const closing = new AbortController();
  let present: Promise<Session> | undefined;
  let knownEra: Session['era'] | undefined;
  let shortLives = 0;
  const endings = new Set<Promise<void>>();
  let closes: Promise<void> | undefined;

  return { session, close };

  async function session(signal: AbortSignal): Promise<Session> {
    closing.signal.throwIfAborted();
    signal.throwIfAborted();
    present ??= open();
    return untilAborted(signal, present);
  }

  function open(): Promise<Session> {
    const startedAt = context.clock.now();
    const opening = openAfterDelay();
    const forget = (): void => {
      if (present === opening) present = undefined;
      shortLives = context.clock.now() - startedAt < HEALTHY_MS ? shortLives + 1 : 0;
      // The connection may be over before everything behind it is.
      keepTrackOf(endOf(opening));
    };
    opening.then((opened) => opened.closed.then(forget), forget);
    return opening;
  }

  function keepTrackOf(ending: Promise<void>): void {
    const tracked = ending.finally(() => endings.delete(tracked));
    endings.add(tracked);
  }

  async function openAfterDelay(): Promise<Session> {
    const delayMs = shortLives < 2 ? 0 : Math.min(FIRST_DELAY_MS * 2 ** (shortLives - 2), MAX_DELAY_MS);
    if (delayMs > 0) await pause(context.clock, delayMs, closing.signal);
    let work: Promise<Session> | undefined;
    let connection: Connection | undefined;
    const noting = { ...setup, onConnection: (opened: Connection) => (connection = opened) };
    try {
      const opened = await withDeadline(
        context,
        {
          what: 'the start',
          signal: closing.signal,
          totalMs: setup.startTimeoutMs,
          totalOption: 'startTimeoutMs',
          details: () => ({ stderr: connection?.lastWords?.() ?? '' }),
        },
        ({ signal }) => (work = openSession(noting, knownEra, signal)),
      );
      knownEra = opened.era;
      return opened;
    } catch (error) {
      // The deadline does not wait for what it cut off: it ends by itself, and a session that comes late is closed.
      if (work !== undefined) keepTrackOf(endOf(work));
      // What was known may be why it failed, for instance after an update of the server.
      knownEra = undefined;
      throw error;
    }
  }

  async function endOf(opening: Promise<Session>): Promise<void> {
    try {
      await (await opening).close();
    } catch {
      // Whoever asked for the session got the reason.
    }
  }

  function close(): Promise<void> {
    closes ??= (async () => {
      closing.abort(context.fail('closed', 'the client was closed.'));
      const last = present;
      let opened: Session | undefined;
      try {
        opened = await last;
      } catch {
        // It never opened; its caller got the reason.
      }
      await opened?.close();
      await Promise.all(endings);
    })();
    return closes;
  }
}

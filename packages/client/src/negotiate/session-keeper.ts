import type { Connection } from '../message/connection.ts';
import type { ClientError } from '../peer/client-error.ts';
import { withDeadline } from '../timing/deadline.ts';
import { pause } from '../timing/pause.ts';
import { untilAborted } from '../timing/until-aborted.ts';
import type { Session } from '../session/session.ts';
import { doubtsEra } from './era-doubt.ts';
import type { EraVerdict } from './era-verdict.ts';
import { type OpenedSession, openSession, type PriorKnowledge } from './open-session.ts';
import type { Life } from './restart-policy.ts';
import type { SessionSetup } from './session-setup.ts';

/** How long an era that was looked at anew for nothing is not doubted again. */
const DOUBT_PAUSE_MS = 10_000;
/** How many sessions of eras that were left are kept for what is under way on them. */
const MAX_RETIRED = 3;

/** Keeps one session alive over the ends of its connections. */
export interface SessionKeeper {
  /**
   * Answers the live session, opening one where there is none: callers that come meanwhile share it. Rejects as opening
   * does, with code `circuit-open` where the server ended too often, with `closed` after {@link close}, or with the
   * reason of `signal`, which ends the waiting and not the opening.
   */
  session(signal: AbortSignal): Promise<Session>;
  /** Answers the live session where there is one already, without a wait. */
  live(): Session | undefined;
  /**
   * Takes what a request on a session came to. Where that gives reason to doubt the era of the server, it is found out
   * anew, and where it is another one, the answer is the session of that, on which the request may be sent again if it
   * was not executed; else `undefined`. A server that is busy is not waited for. It never rejects.
   */
  reconsider(session: Session, error: unknown, signal: AbortSignal): Promise<Session | undefined>;
  /** Answers what is known of the server, once there was a session. */
  verdict(): EraVerdict | undefined;
  /** Answers the session that was opened last, whether it is over or not. */
  latest(): Session | undefined;
  /** Aborts when the session is ended for good, with the `ClientError` for what is under way. */
  readonly closing: AbortSignal;
  /** Ends the session and opens none any more. */
  close(): Promise<void>;
}

/**
 * Creates the keeper of a client. It opens nothing until it is asked. A server that ended is started again by the next
 * caller, when the setup's restart policy lets it: a caller waits for a short delay, and is refused with `circuit-open`
 * for a long one. Requests that were under way are not repeated: whether they were executed is not known.
 *
 * Spec: basic/transports/stdio#unexpected-termination (2026-07-28).
 */
export function createSessionKeeper(setup: SessionSetup): SessionKeeper {
  const { context } = setup;
  const { identity } = setup.transport;
  const closing = new AbortController();
  let present: Promise<Session> | undefined;
  /** What {@link present} came to. */
  let alive: Session | undefined;
  let known: PriorKnowledge | undefined =
    setup.prior === undefined ? undefined : { verdict: setup.prior, isOwn: false };
  let last: EraVerdict | undefined;
  let lastSession: Session | undefined;
  let doubt: Promise<Session | undefined> | undefined;
  let doubtsFrom = -Infinity;
  const retired: Session[] = [];
  const endings = new Set<Promise<void>>();
  let closes: Promise<void> | undefined;

  return {
    session,
    live: () => (closing.signal.aborted ? undefined : alive),
    reconsider,
    verdict: () => last,
    latest: () => lastSession,
    closing: closing.signal,
    close,
  };

  async function session(signal: AbortSignal): Promise<Session> {
    closing.signal.throwIfAborted();
    signal.throwIfAborted();
    present ??= open();
    return untilAborted(signal, present);
  }

  /** Begins a life of the server, which is the present one where its caller says so. `isDoubt`: to look for its era. */
  function open({ isDoubt = false } = {}): Promise<Session> {
    const life = setup.restarts.begin(context);
    let starts = 0;
    const opening = openAfterDelay(life, isDoubt, () => (starts += 1));
    const forget = (reason: unknown, failed: number): void => {
      if (present === opening) present = alive = undefined;
      life.ended(closing.signal.aborted ? undefined : reason, failed);
      // The connection may be over before everything behind it is.
      keepTrackOf(endOf(opening));
    };
    opening.then(
      (opened) => {
        life.opened();
        if (present === opening) alive = opened;
        return opened.closed.then((reason) => forget(reason, 1));
      },
      (error: unknown) => forget(error, starts),
    );
    return opening;
  }

  function keepTrackOf(ending: Promise<void>): void {
    const tracked = ending.finally(() => endings.delete(tracked));
    endings.add(tracked);
  }

  async function openAfterDelay({ delayMs }: Life, isDoubt: boolean, onStart: () => void): Promise<Session> {
    if (delayMs > 0) await pause(context.clock, delayMs, closing.signal);
    let work: Promise<OpenedSession> | undefined;
    let connection: Connection | undefined;
    let ended: ClientError | undefined;
    const onConnection = (opened: Connection): void => {
      connection = opened;
      onStart();
      void opened.closed.then((reason) => (ended = reason ?? ended));
    };
    const noting = { ...setup, onConnection };
    try {
      const opened = await withDeadline(
        context,
        {
          what: 'the start',
          signal: closing.signal,
          totalMs: setup.startTimeoutMs,
          totalOption: 'startTimeoutMs',
          details: () => ({ stderr: connection?.lastWords?.() ?? '' }),
          // A second process that is silent does not tell why the first was given up.
          circumstances: () => (ended === undefined ? '' : `Before that, ${ended.reason}`),
        },
        ({ signal, hold, leftMs }) => {
          // Whoever raised the doubt has an error already, which is not kept from him while a server is busy.
          const patience = isDoubt ? {} : { timeLeftMs: leftMs };
          return (work = openSession({ ...noting, hold, ...patience }, known ?? shared(), signal));
        },
      );
      learn(opened);
      return opened.session;
    } catch (error) {
      // The deadline does not wait for what it cut off: it ends by itself, and a session that comes late is closed.
      if (work !== undefined) keepTrackOf(endOf(work.then((opened) => opened.session)));
      // What was known may be why it failed, for instance after an update of the server.
      known = undefined;
      if (identity !== undefined) setup.verdicts?.set(identity, undefined);
      throw error;
    }
  }

  /** What another client found out about the same server. */
  function shared(): PriorKnowledge | undefined {
    const verdict = identity === undefined ? undefined : setup.verdicts?.get(identity);
    return verdict === undefined ? undefined : { verdict, isOwn: false };
  }

  function learn({ verdict, session: opened }: OpenedSession): void {
    lastSession = opened;
    known = { verdict, isOwn: true };
    last = verdict;
    if (identity !== undefined) setup.verdicts?.set(identity, verdict);
  }

  async function reconsider(suspect: Session, error: unknown, signal: AbortSignal): Promise<Session | undefined> {
    if (!doubtsEra(suspect, error) || signal.aborted || closing.signal.aborted) return undefined;
    try {
      const current = await untilAborted(signal, present ?? Promise.resolve(suspect));
      if (current !== suspect) return current;
      if (doubt === undefined && context.clock.now() < doubtsFrom) return undefined;
      doubt ??= findOther(suspect).finally(() => {
        doubtsFrom = context.clock.now() + DOUBT_PAUSE_MS;
        doubt = undefined;
      });
      return await untilAborted(signal, doubt);
    } catch {
      // The error that raised the doubt says more.
      return undefined;
    }
  }

  /** Answers the session of another era, where the server has become one of that; what is under way ends by itself. */
  async function findOther(suspect: Session): Promise<Session | undefined> {
    const before = known;
    known = undefined;
    if (identity !== undefined) setup.verdicts?.set(identity, undefined);
    const opening = open({ isDoubt: true });
    const found = await opening;
    if (found.era === suspect.era || closing.signal.aborted) {
      known = before;
      await found.close();
      return undefined;
    }
    retired.push(suspect);
    if (retired.length > MAX_RETIRED) void retired.shift()?.close();
    present = opening;
    alive = found;
    return found;
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
      // Nobody may wait for it any more, and what it opened is to be closed.
      await doubt?.catch(() => undefined);
      await Promise.all(retired.map((each) => each.close()));
      await Promise.all(endings);
    })();
    return closes;
  }
}

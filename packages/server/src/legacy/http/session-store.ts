import type { Principal } from '@switchyard/protocol';

import { busy } from '../../limits/busy.ts';
import type { LegacyLimits } from '../legacy-limits.ts';
import type { HttpSession } from './http-session.ts';
import { idTaken } from './id-taken.ts';

/** The sessions of one endpoint. They live in this process: a client must come back to the same one. */
export interface SessionStore {
  /**
   * Takes a session in.
   *
   * @throws ProtocolError with status 503 when there is no room, 500 when its id is taken.
   */
  add(session: HttpSession): void;
  /** Answers the session of a caller by its id, and counts that as use; another caller's is as good as none. */
  find(id: string, principal: Principal | undefined): HttpSession | undefined;
  /** As {@link find}, for whoever is not known yet, and without counting as use. */
  peek(id: string): HttpSession | undefined;
  /** Whether a request of any session runs. */
  isBusy(): boolean;
  /** Ends a session. */
  end(session: HttpSession, reason: string): void;
  endAll(reason: string): void;
}

/**
 * Makes a store. Sessions that went unused for too long end when anybody opens or looks for one. Where there is no room
 * for another, the one ends that was unused for longest: of the same principal, else of callers whom nobody
 * authenticated, else of all. Who is not authenticated takes the place of nobody who is.
 */
export function createSessionStore(limits: LegacyLimits, now: () => number): SessionStore {
  // Least recently used first.
  const sessions = new Map<string, { readonly session: HttpSession; usedMs: number }>();

  function touch(id: string, session: HttpSession): void {
    sessions.delete(id);
    sessions.set(id, { session, usedMs: now() });
  }

  function end(session: HttpSession, reason: string): void {
    if (sessions.delete(session.id)) session.end(reason);
  }

  function endIdle(): void {
    for (const [id, { session, usedMs }] of sessions) {
      if (now() - usedMs < limits.idleMs) return;
      if (session.isInUse) touch(id, session);
      else end(session, 'the session was unused for too long');
    }
  }

  function makeRoom({ principal, owner }: HttpSession): void {
    const all = [...sessions.values()].map(({ session }) => session);
    const own = all.filter((session) => session.owner === owner);
    const hasTooMany = principal !== undefined && own.length >= limits.maxSessionsPerCaller;
    if (!hasTooMany && all.length < limits.maxSessions) return;
    const nobodys = all.filter((session) => session.principal === undefined);
    const others = principal === undefined || hasTooMany ? [] : [...nobodys, ...all];
    const unused = [...own, ...others].find((session) => !session.isInUse);
    if (unused === undefined) {
      throw busy('Busy: all sessions are in use; end one with DELETE, or come back later');
    }
    end(unused, 'another session took its place');
  }

  return {
    add(session) {
      endIdle();
      if (sessions.has(session.id)) throw idTaken();
      makeRoom(session);
      touch(session.id, session);
    },
    find(id, principal) {
      endIdle();
      const session = sessions.get(id)?.session;
      if (session === undefined || !session.belongsTo(principal)) return undefined;
      touch(id, session);
      return session;
    },
    peek: (id) => sessions.get(id)?.session,
    isBusy: () => [...sessions.values()].some(({ session }) => session.conversation.isBusy),
    end,
    endAll(reason) {
      for (const { session } of sessions.values()) end(session, reason);
    },
  };
}

import { httpHeaders, type LegacyRevision } from '@switchyard/protocol';

import type { HttpHead } from '../../exchange/http-exchange.ts';
import { refuse } from '../../http/refuse.ts';
import type { LegacyExchange } from '../../dispatch/legacy-adapter.ts';
import type { LegacyShared } from '../legacy-shared.ts';
import type { HttpSession } from './http-session.ts';
import type { SessionStore } from './session-store.ts';

/** Answers the session that a request names; where it names none of its caller's, the request is refused (400, 404). */
export type FindSession = (given: LegacyExchange) => HttpSession | undefined;

/**
 * Answers what is wrong with the version header of a request; one that has none is taken. Spec:
 * 2025-11-25/basic/transports#protocol-version-header.
 */
export function versionProblem(head: HttpHead, offered: readonly LegacyRevision[]): string | undefined {
  const { key, name } = httpHeaders.protocolVersion;
  const version = head.header(key);
  if (version === undefined || offered.some((revision) => revision === version)) return undefined;
  return `The header ${name} must name a revision of sessions: ${offered.join(', ')}`;
}

/** Spec: 2025-11-25/basic/transports#session-management, #protocol-version-header. */
export function createFindSession({ offered }: LegacyShared, store: SessionStore): FindSession {
  const { sessionId } = httpHeaders;
  return ({ exchange, principal, cors }) => {
    const { head } = exchange;
    const id = head.header(sessionId.key);
    const problem = versionProblem(head, offered);
    if (id === undefined) {
      refuse(exchange, 400, `The request needs the header ${sessionId.name}: send initialize to get one`, cors);
    } else if (problem !== undefined) {
      refuse(exchange, 400, problem, cors);
    } else {
      const session = store.find(id, principal);
      if (session !== undefined) {
        session.prove(principal);
        return session;
      }
      refuse(exchange, 404, 'The session is unknown or has ended: send initialize for another one', cors);
    }
    return undefined;
  };
}

import { httpHeaders } from '@switchyard/protocol';

import { refuse } from '../../http/refuse.ts';
import type { LegacyExchange } from '../../dispatch/legacy-adapter.ts';
import type { LegacyShared } from '../legacy-shared.ts';
import type { HttpSession } from './http-session.ts';
import type { SessionStore } from './session-store.ts';

/** Answers the session that a request names; where it names none of its caller's, the request is refused (400, 404). */
export type FindSession = (given: LegacyExchange) => HttpSession | undefined;

/** Spec: 2025-11-25/basic/transports#session-management, #protocol-version-header. */
export function createFindSession({ offered }: LegacyShared, store: SessionStore): FindSession {
  const { sessionId, protocolVersion } = httpHeaders;
  return ({ exchange, principal, cors }) => {
    const { head } = exchange;
    const id = head.header(sessionId.key);
    const version = head.header(protocolVersion.key);
    if (id === undefined) {
      refuse(exchange, 400, `The request needs the header ${sessionId.name}: send initialize to get one`, cors);
    } else if (version !== undefined && !offered.some((revision) => revision === version)) {
      const known = offered.join(', ');
      refuse(exchange, 400, `The header ${protocolVersion.name} must name a revision of sessions: ${known}`, cors);
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

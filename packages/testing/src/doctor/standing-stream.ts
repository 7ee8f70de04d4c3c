import {
  changingListNames,
  changingLists,
  httpHeaders,
  isJsonObject,
  type JsonObject,
  sendsVersionHeader,
  type LegacyRevision,
} from '@switchyard/protocol';

import { mirroredHeaders } from '../raw/modern-message.ts';
import type { Contact } from './contact.ts';
import { modernRequest } from './greeting-messages.ts';
import type { HttpAsk } from './http-peer.ts';

/**
 * Answers the request for a stream that a server keeps open while it has nothing to say: `subscriptions/listen` of a
 * modern one, the GET of a legacy one. `undefined` where it tells of no changes, so that it need not have one.
 */
export function standingStream({ era, greeting, sessionId }: Contact): HttpAsk | undefined {
  if (era === 'legacy') {
    const version = greeting?.['protocolVersion'] as LegacyRevision;
    const session = sessionId === undefined ? {} : { [httpHeaders.sessionId.key]: sessionId };
    const named = sendsVersionHeader(version) ? { [httpHeaders.protocolVersion.key]: version } : {};
    return { headers: { ...session, ...named } };
  }
  const filter = filterOf(isJsonObject(greeting?.['capabilities']) ? greeting['capabilities'] : {});
  if (era !== 'modern' || Object.keys(filter).length === 0) return undefined;
  const message = modernRequest(4, 'subscriptions/listen', { notifications: filter });
  return { message, headers: mirroredHeaders(message) };
}

function filterOf(capabilities: JsonObject): JsonObject {
  const told = changingListNames.filter((name) => {
    const capability = capabilities[name];
    return isJsonObject(capability) && capability['listChanged'] === true;
  });
  return Object.fromEntries(told.map((name) => [changingLists[name].wanted, true]));
}

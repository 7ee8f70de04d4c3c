import { type JsonObject, legacyRevisions } from '@switchyard/protocol';

import { modernMeta } from '../raw/modern-message.ts';

/** What the doctor calls itself. */
export const doctorInfo = { name: 'switchyard-doctor', version: '1.0.0' } as const;

/** Builds a request of the current revision. */
export function modernRequest(id: number, method: string, params: JsonObject = {}): JsonObject {
  return { jsonrpc: '2.0', id, method, params: { ...params, _meta: modernMeta({ clientInfo: doctorInfo }) } };
}

/** Builds the request that begins a conversation of the older revisions. */
export function initializeRequest(id: number): JsonObject {
  const params = { protocolVersion: legacyRevisions[0], capabilities: {}, clientInfo: doctorInfo };
  return { jsonrpc: '2.0', id, method: 'initialize', params };
}

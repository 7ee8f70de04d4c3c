import { httpHeaders, isLegacyRevision } from '@switchyard/protocol';

import type { HttpHead } from '../exchange/http-exchange.ts';
import { hasModernMeta } from '../dispatch/has-modern-meta.ts';
import type { Incoming } from '../dispatch/incoming.ts';

/** Answers whether a message says of itself what only messages of the modern era do, see {@link hasModernMeta}. */
export function claimsModern(incoming: Incoming): boolean {
  if (incoming.kind !== 'request' && incoming.kind !== 'notification') return false;
  return hasModernMeta(incoming.message.params);
}

/** Answers whether a message opens a legacy session. */
export function isInitialize(incoming: Incoming): incoming is Extract<Incoming, { readonly kind: 'request' }> {
  return incoming.kind === 'request' && incoming.message.method === 'initialize';
}

/**
 * Answers whether an HTTP request without a modern version header belongs to the legacy era: not with modern metadata,
 * whatever else it has; otherwise with a session, a legacy version header, or `initialize`. What claims nothing is left
 * to the modern path, which says what is missing.
 */
export function isLegacyExchange(head: HttpHead, incoming: Incoming): boolean {
  if (claimsModern(incoming)) return false;
  const version = head.header(httpHeaders.protocolVersion.key);
  return head.header(httpHeaders.sessionId.key) !== undefined || isLegacyRevision(version) || isInitialize(incoming);
}

import {
  type DiscoverResult,
  errorCodes,
  isJsonObject,
  type JsonObject,
  legacyResourceNotFound,
  metaKeys,
  methodOf,
  type MethodName,
  ProtocolError,
} from '@switchyard/protocol';
import type { ServerFacts } from '../session/session.ts';

/**
 * Answers a legacy result in the modern shape: complete, and stale at once where the modern one may be cached. What a
 * legacy server puts at these members has no meaning there, so it is replaced; a member that is `null` counts as
 * absent, since no legacy result has one that may be.
 *
 * Spec: server/utilities/caching (2026-07-28); 2025-11-25/schema#result.
 */
export function toModernResult(method: MethodName, result: JsonObject): JsonObject {
  const present = Object.fromEntries(Object.entries(result).filter(([, value]) => value !== null));
  const modern = { ...present, resultType: 'complete' };
  return methodOf(method)?.cacheable === true ? { ...modern, ttlMs: 0, cacheScope: 'private' } : modern;
}

/** Answers a legacy error in the modern form: a resource that was not found is -32602 with its `uri` in the data. */
export function toModernError(method: MethodName, params: JsonObject, error: unknown): unknown {
  if (!(error instanceof ProtocolError) || error.code !== legacyResourceNotFound || method !== 'resources/read')
    return error;
  const data = isJsonObject(error.data) ? error.data : {};
  return new ProtocolError(errorCodes.invalidParams.code, error.message, {
    data: { ...data, uri: params['uri'] },
    status: error.status,
    server: error.server,
    cause: error,
  });
}

/** Answers what `server/discover` would say, from what `initialize` said. */
export function toDiscoverResult(facts: ServerFacts): DiscoverResult {
  return {
    resultType: 'complete',
    supportedVersions: [facts.revision],
    capabilities: facts.capabilities,
    ...(facts.instructions === undefined ? {} : { instructions: facts.instructions }),
    ttlMs: 0,
    cacheScope: 'private',
    ...(facts.info === undefined ? {} : { _meta: { [metaKeys.serverInfo]: facts.info } }),
  };
}

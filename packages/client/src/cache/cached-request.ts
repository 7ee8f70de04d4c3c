import type { JsonObject, MethodName } from '@switchyard/protocol';

/** Who asks. */
export interface CachePrincipal {
  /** Tells authorization contexts apart. It holds no credential. */
  readonly key: string;
  /**
   * Whether the key means the same to every client. Where it does not, since nobody in particular asks, private answers
   * stay with the one client that got them, in memory.
   */
  readonly isKnown: boolean;
}

/** What an answer is kept under. */
export interface CachedRequest {
  /** What is reached and the revision that is spoken with it. */
  readonly server: string;
  /** Whether `server` means the same to every process. Where it does not, the answer stays in memory. */
  readonly isShared: boolean;
  /** The method and its params, of {@link requestKey}. */
  readonly request: string;
  readonly principal: CachePrincipal;
}

/**
 * Answers the text that tells a request from every other one of the same server: the order of its params does not
 * matter. Spec: server/utilities/caching#cache-key (2026-07-28).
 */
export function requestKey(method: MethodName, params: JsonObject): string {
  const names = Object.keys(params);
  // The params of lists are empty, and a hit should cost nothing.
  if (names.length === 0) return method;
  return `${method}\n${JSON.stringify(names.sort().map((name) => [name, params[name]]))}`;
}

/** Answers the text under which all answers to a request stand, whoever got them. */
export function familyOf({ server, request }: Pick<CachedRequest, 'server' | 'request'>): string {
  return `${server}\n${request}`;
}

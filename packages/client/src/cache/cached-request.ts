import type { JsonObject, MethodName } from '@switchyard/protocol';
import { digestOf } from '../peer/digest.ts';

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

/**
 * How answers are read: with `exact` integers they are other values, which a change makes stale all the same.
 */
export type CacheVariant = (typeof cacheVariants)[number];

/** All of them. */
export const cacheVariants = ['rounded', 'exact'] as const;

/** What an answer is kept under. */
export interface CachedRequest {
  /** What is reached and the revision that is spoken with it, of {@link shortened}. */
  readonly server: string;
  /** Whether `server` means the same to every process. Where it does not, the answer stays in memory. */
  readonly isShared: boolean;
  /** The method and its params, of {@link requestKey}. */
  readonly request: string;
  readonly variant: CacheVariant;
  /** Absent while nobody can say who asks: nothing private is found then, or kept. */
  readonly principal: CachePrincipal | undefined;
}

/**
 * Answers the text that tells a request from every other one of the same server: the order of its params does not
 * matter. It begins with the method and is short, whatever the params hold. Spec: server/utilities/caching#cache-key
 * (2026-07-28).
 */
export function requestKey(method: MethodName, params: JsonObject): string {
  const names = Object.keys(params);
  // The params of lists are empty, and a hit should cost nothing.
  if (names.length === 0) return method;
  return `${method}\n${shortened(JSON.stringify(names.sort().map((name) => [name, params[name]])))}`;
}

/** Longer ones would fill the memory that their answers are to have. */
const MAX_KEY_CHARS = 300;

/** Answers a text as it is where it is short, and otherwise its digest. */
export function shortened(text: string): string {
  return text.length <= MAX_KEY_CHARS ? text : `#${digestOf('cache-key', text)}`;
}

/** Answers the text under which all answers to a request stand, whoever got them. */
export function familyOf({ server, request }: Pick<CachedRequest, 'server' | 'request'>): string {
  return `${server}\n${request}`;
}

/** Answers the text under which all families of one method stand. */
export function methodFamilyOf(server: string, request: string): string {
  const end = request.indexOf('\n');
  return familyOf({ server, request: end < 0 ? request : request.slice(0, end) });
}

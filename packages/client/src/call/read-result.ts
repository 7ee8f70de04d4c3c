import {
  describeMisfit,
  type JsonObject,
  type Method,
  type MethodName,
  methods,
  type ResultOf,
  type Shape,
} from '@switchyard/protocol';
import { quoted } from '../peer/excerpt.ts';
import { readAs } from '../peer/read-as.ts';
import { withoutNulls } from '../peer/without-nulls.ts';
import type { PeerContext } from '../peer/peer-context.ts';

/** A cursor that is `null` ends a list as an absent one does, and such hints say nothing. */
const cursor: readonly string[] = ['nextCursor'];
const mayBeNull: readonly string[] = [...cursor, 'ttlMs', 'cacheScope'];

/**
 * Checks a result against the method table and answers it complete: `resultType` is set, and so are `ttlMs` and
 * `cacheScope` of a cacheable one, as stale and private where the server said nothing. Content blocks of unknown types
 * and unknown members stay as they came.
 *
 * A tool result with structured content and without `content` gets an empty one, with a warning. Throws a
 * `ClientError` with code `invalid-response` for a result that is not complete, or has another shape.
 *
 * Spec: basic/index#responses, basic/patterns/mrtr, server/utilities/caching (2026-07-28).
 */
export function readResult<M extends MethodName>(context: PeerContext, name: M, received: JsonObject): ResultOf<M> {
  const method: Method = methods[name];
  const isCacheable = method.cacheable === true;
  assertComplete(context, name, received);
  const repaired =
    name === 'tools/call' ? withContent(context, received) : withoutNulls(received, isCacheable ? mayBeNull : cursor);
  const reading = readAs(method.result as Shape<JsonObject>, repaired);
  if ('misfit' in reading) {
    const problem = describeMisfit('result', reading.misfit);
    throw context.fail('invalid-response', `its result of ${name} is invalid: ${problem}.`);
  }
  const result = reading.value;
  const hints = isCacheable ? cacheHintsOf(result) : {};
  // The shape has checked it, and what the shape leaves open has just been set.
  return { ...result, resultType: 'complete', ...hints } as object as ResultOf<M>;
}

function assertComplete(context: PeerContext, name: string, { resultType }: JsonObject): void {
  if (resultType === undefined || resultType === 'complete') return;
  const shown = typeof resultType === 'string' ? quoted(resultType) : 'that is no string';
  throw context.fail(
    'invalid-response',
    `its result of ${name} has the resultType ${shown}, which this client does not know.`,
  );
}

/** Some servers leave `content` out beside structured content; the value itself is there, so it is read. */
function withContent(context: PeerContext, result: JsonObject): JsonObject {
  const isMissing = result['content'] === undefined || result['content'] === null;
  if (!isMissing || !Object.hasOwn(result, 'structuredContent')) return result;
  context.warn('repaired-result', 'its tool result has no content beside the structured content; it is read as empty.');
  return { ...result, content: [] };
}

function cacheHintsOf({ ttlMs, cacheScope }: JsonObject): JsonObject {
  return {
    ttlMs: typeof ttlMs === 'number' && ttlMs > 0 ? ttlMs : 0,
    cacheScope: cacheScope === 'public' ? 'public' : 'private',
  };
}

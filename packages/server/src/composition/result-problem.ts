import {
  cacheScope,
  describeMisfit,
  isJsonObject,
  type JsonObject,
  type Method,
  methods,
  type Misfit,
  type ModernMethodName,
} from '@switchyard/protocol';

import { senderMisfit } from '../definition/assert-result.ts';
import { InputRequired } from '../handler/input-required.ts';

/**
 * Answers why a value is no result of a method that may be sent, or `undefined`. `answered` is what `next` answered, if
 * it did: what is not complete (a request for input, a task) and the end of a stream are good only as they came.
 */
export function resultProblem(method: ModernMethodName, result: unknown, answered: unknown): string | undefined {
  if (result instanceof InputRequired) return 'asked for input, which only a handler can';
  if (!isJsonObject(result)) return `answered ${kindOf(result)} in place of a result`;
  const { staysOpen, cacheable }: Method = methods[method];
  const { resultType = 'complete' } = result;
  if (staysOpen === true || resultType !== 'complete') {
    if (result === answered) return undefined;
    return staysOpen === true
      ? `answered ${method} with another result than its next did`
      : `answered with a result of the type ${JSON.stringify(resultType)} that is not the one of its next`;
  }
  const misfit =
    methods[method].result(result) ??
    entryMisfit(method, result) ??
    senderMisfit(method, result) ??
    (cacheable === true ? hintsMisfit(result) : undefined);
  return misfit === undefined ? undefined : `answered no ${method} result: ${describeMisfit('result', misfit)}`;
}

/** The shape of a list leaves its entries to their reader. */
function entryMisfit(method: ModernMethodName, result: JsonObject): Misfit | undefined {
  const { list }: Method = methods[method];
  if (list === undefined) return undefined;
  for (const [index, entry] of (result[list.member] as readonly unknown[]).entries()) {
    const misfit = list.entry(entry);
    if (misfit !== undefined) return { at: `.${list.member}[${index}]${misfit.at}`, must: misfit.must };
  }
  return undefined;
}

/**
 * A result that is received may lack its hints, one that is sent may not. Spec: server/utilities/caching (2026-07-28).
 */
function hintsMisfit(result: JsonObject): Misfit | undefined {
  const { ttlMs } = result;
  if (!Number.isSafeInteger(ttlMs) || (ttlMs as number) < 0)
    return { at: '.ttlMs', must: 'be an integer of at least 0' };
  const misfit = cacheScope(result['cacheScope']);
  return misfit === undefined ? undefined : { at: '.cacheScope', must: misfit.must };
}

function kindOf(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  return Array.isArray(value) ? 'an array' : `a ${typeof value}`;
}

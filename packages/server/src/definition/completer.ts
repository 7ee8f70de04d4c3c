import type { Completion } from '@switchyard/protocol';

import type { RequestContext } from '../handler/request-context.ts';
import { assertResult } from './assert-result.ts';

/**
 * Suggests values for one argument or template variable. `value` is what was typed so far; `others` are arguments that
 * are already settled. More than 100 values are cut, and the answer says so.
 *
 * Spec: server/utilities/completion (2026-07-28).
 */
export type Completer = (
  value: string,
  others: { readonly [name: string]: string },
  context: RequestContext,
) => readonly string[] | Completion | Promise<readonly string[] | Completion>;

const MAX_VALUES = 100;

/**
 * Brings suggestions into the form of the wire.
 *
 * @throws TypeError when they break the protocol.
 */
export function toCompletion(suggested: readonly string[] | Completion): Completion {
  const completion: Completion = isList(suggested) ? { values: suggested, total: suggested.length } : suggested;
  assertResult('completion/complete', { completion });
  if (completion.values.length <= MAX_VALUES) return { hasMore: false, ...completion };
  return { ...completion, values: completion.values.slice(0, MAX_VALUES), hasMore: true };
}

function isList(suggested: readonly string[] | Completion): suggested is readonly string[] {
  return Array.isArray(suggested);
}

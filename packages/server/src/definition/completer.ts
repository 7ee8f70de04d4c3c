import type { Completion } from '@switchyard/protocol';

import type { RequestContext } from '../request-context.ts';

/**
 * Suggests values for one argument or template variable. `value` is what was typed so far; `others` are arguments that are
 * already settled. More than 100 values are cut, and the answer says so.
 *
 * Spec: server/utilities/completion (2026-07-28).
 */
export type Completer = (
  value: string,
  others: { readonly [name: string]: string },
  context: RequestContext,
) => readonly string[] | Completion | Promise<readonly string[] | Completion>;

const maxValues = 100;

/** Brings suggestions into the form of the wire. */
export function toCompletion(suggested: readonly string[] | Completion): Completion {
  const completion: Completion = isList(suggested) ? { values: suggested, total: suggested.length } : suggested;
  if (completion.values.length <= maxValues) return { hasMore: false, ...completion };
  return { ...completion, values: completion.values.slice(0, maxValues), hasMore: true };
}

function isList(suggested: readonly string[] | Completion): suggested is readonly string[] {
  return Array.isArray(suggested);
}

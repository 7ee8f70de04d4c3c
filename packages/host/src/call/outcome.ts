import type { OperationMethod, OperationResults } from './operation.ts';
import type { Verdict } from './verdict.ts';

/**
 * How a call ended:
 *
 * - `completed`: the server answered; a tool's own error (`isError`) is a completed call.
 * - `refused`: it did not run.
 * - `failed`: it ran, or may have run, and gave no usable answer; the `effect` of its verdict says what is known.
 */
export type Outcome<M extends OperationMethod = OperationMethod> =
  | { readonly kind: 'completed'; readonly result: OperationResults[M] }
  | { readonly kind: 'refused'; readonly verdict: Verdict }
  | { readonly kind: 'failed'; readonly verdict: Verdict };

/** The outcome of a call that did not run. */
export function refused(verdict: Verdict): Outcome<never> {
  return { kind: 'refused', verdict };
}

/** The outcome of a call that ran, or may have, without a usable answer. */
export function failed(verdict: Verdict): Outcome<never> {
  return { kind: 'failed', verdict };
}

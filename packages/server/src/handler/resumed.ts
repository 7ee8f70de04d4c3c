import type { JsonObject } from '@switchyard/protocol';

/** What a handler that returned `inputRequired` finds on the retry. */
export interface Resumed {
  /** The answers by key, of the right shape for what was asked; a key that was not answered is absent. */
  readonly answers: { readonly [key: string]: JsonObject };
  /** What the author kept. */
  readonly kept: unknown;
}

import { assertKnownOptions, assertObject, isJsonObject, type KnownOptions } from '@switchyard/protocol';

import { InputError } from './input-error.ts';
import { assertKey } from './key.ts';
import type { Question } from './question.ts';

/**
 * A handler's explicit request for input; made by {@link inputRequired}, returned in place of a result. On the retry
 * the handler runs again, with the answers and what it kept in `ctx.resumed`.
 */
export class InputRequired {
  /** What the client is asked, by keys of the author. */
  readonly requests: ReadonlyMap<string, Question<unknown>>;
  /** What comes back in `ctx.resumed.kept`; `undefined` for nothing. */
  readonly keep: unknown;

  constructor(requests: ReadonlyMap<string, Question<unknown>>, keep: unknown) {
    this.requests = requests;
    this.keep = keep;
  }
}

/** What an explicit request for input asks, and keeps. At least one of them. */
export interface InputRequiredOptions {
  /**
   * What the client is asked, by keys of the author: 1 to 128 characters. Made by `formQuestion`, `urlQuestion`,
   * `samplingQuestion` and `rootsQuestion`.
   */
  readonly requests?: { readonly [key: string]: Question<unknown> };
  /** A JSON value that comes back unchanged in `ctx.resumed.kept`; the client cannot read it. */
  readonly keep?: unknown;
}

const inputRequiredOptions: KnownOptions<InputRequiredOptions> = { requests: true, keep: true };

/**
 * Answers the result that asks the client for input, for handlers that would rather be a state machine than linear
 * code.
 *
 * Spec: basic/patterns/mrtr (2026-07-28).
 *
 * @throws InputError `question` when it asks for nothing and keeps nothing, `key` for a key out of bounds.
 * @throws TypeError when an option is unknown, or a request is no {@link Question}.
 */
export function inputRequired(options: InputRequiredOptions): InputRequired {
  assertKnownOptions('inputRequired', options, inputRequiredOptions);
  const { requests = {}, keep } = options;
  assertObject('inputRequired, requests', requests);
  const asked = new Map(Object.entries(requests));
  for (const [key, question] of asked) {
    assertKey('ask', key);
    if (!isQuestion(question))
      throw new TypeError(
        `inputRequired, requests.${key}: a request is what formQuestion, urlQuestion, samplingQuestion or rootsQuestion answers`,
      );
  }
  if (asked.size === 0 && keep === undefined)
    throw new InputError('question', 'inputRequired must ask for something, or keep something');
  return new InputRequired(asked, keep);
}

function isQuestion(given: Partial<Question<unknown>> | undefined): boolean {
  return isJsonObject(given?.request) && typeof given.lacks === 'function' && typeof given.read === 'function';
}

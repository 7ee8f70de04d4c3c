/**
 * Why an ask or a step of a handler was refused:
 *
 * - `not-here`: the method being served may not ask its caller for anything, or the ask stands inside of a step or an
 *   effect.
 * - `key`: the key is empty, too long, no well-formed text, or used twice in one run for different things.
 * - `question`: the question cannot be sent: a form that is not flat, a URL that is none, messages that break a rule.
 * - `answer`: a legacy client answered with what is no answer to the question.
 * - `value`: JSON cannot hold the value of a step, or it is too large.
 * - `state`: the journal of the run is too large to travel.
 * - `store`: the server was given no store for what must be remembered.
 * - `conflict`: an effect under this key was run with other arguments.
 * - `unknown-outcome`: whoever ran the effect died before its outcome was recorded; it is not run again.
 */
export type InputErrorCode =
  'not-here' | 'key' | 'question' | 'answer' | 'value' | 'state' | 'store' | 'conflict' | 'unknown-outcome';

/**
 * A mistake in how a handler asks, or an effect that may not run; thrown into the handler. The message names the key.
 */
export class InputError extends Error {
  /** Tells it from other errors. */
  override readonly name = 'InputError';
  /** Why the ask, step or effect was refused: see `InputErrorCode`. */
  readonly code: InputErrorCode;

  constructor(code: InputErrorCode, message: string, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.code = code;
  }
}

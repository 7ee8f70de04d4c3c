/** A question that is answered with a line. */
export interface LineQuestion {
  /** Clean text. */
  readonly message: string;
  /** Answers what is wrong with a line, or `undefined`; the person tries again then. The text must be clean. */
  readonly check: (line: string) => string | undefined;
}

/** A question that is answered with one key; no key is pressed for anybody who only wants to go on. */
export interface KeyQuestion<K extends string> {
  /** Clean text. */
  readonly message: string;
  /** What each key means, by one lower case letter. */
  readonly keys: { readonly [key in K]: string };
}

/**
 * Puts questions to a person at a terminal. `line` and `key` answer `undefined` where he gives the question up (Ctrl-C,
 * Ctrl-D, Escape), and reject with the reason of the signal.
 */
export interface Dialog {
  /** Shows clean text. */
  tell(text: string): void;
  /** Shows text from outside, each line marked as quoted. */
  quote(text: string): void;
  warn(text: string): void;
  line(question: LineQuestion, signal: AbortSignal): Promise<string | undefined>;
  key<K extends string>(question: KeyQuestion<K>, signal: AbortSignal): Promise<K | undefined>;
}

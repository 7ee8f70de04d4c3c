/** A question that is answered with a line. */
export interface LineQuestion {
  /** Clean text. */
  readonly message: string;
  /** Answers what is wrong with a line, or `undefined`; the person tries again then. The text must be clean. */
  readonly check: (line: string) => string | undefined;
  /** Whether it follows an answer to the same form, so that what is typed ahead is meant for it. Default: it does not. */
  readonly isNext?: boolean;
}

/** Talks to a person at a terminal. */
export interface Dialog {
  /** Shows clean text. */
  tell(text: string): void;
  /** Shows text from outside, each line marked as quoted. */
  quote(text: string): void;
  warn(text: string): void;
  /**
   * Asks for a line, which ends with Enter. What was typed before a new question was there is no part of it. Answers
   * `undefined` where the person gives the question up (Ctrl-C, Ctrl-D, Escape), and rejects with the reason of the
   * signal.
   */
  line(question: LineQuestion, signal: AbortSignal): Promise<string | undefined>;
}

import type { InputRequest, JsonObject, Revision } from '@switchyard/protocol';

/** What a server asks for in one go, by names that it chose. */
export interface InputRequests {
  readonly [key: string]: InputRequest;
}

/**
 * The answers, under the names of the requests, each bare: `{ action, content }` of a form, `{ action }` of a page,
 * `{ role, content, model }` of a model, `{ roots }`. No `resultType`, `id` or `jsonrpc` is in any of them.
 */
export interface InputResponses {
  readonly [key: string]: JsonObject;
}

/** What is interrupted by a request for input. */
export interface InputOrigin {
  /** The revision that the server speaks. */
  readonly revision: Revision;
  /** The method of the interrupted request; absent where it cannot be told, as on stdio at a legacy revision. */
  readonly method?: string | undefined;
  /** The params of the interrupted request as the caller gave them. */
  readonly params?: JsonObject | undefined;
  /** How often this request has asked before, plus one. */
  readonly round: number;
}

/** Answers what a server asks for, through the caller's handlers. */
export interface InputAnswerer {
  /**
   * Asks everything in parallel and answers all of it, or rejects: with a `ClientError` (`input-refused`,
   * `unexpected-input-required`, `invalid-response`, `timeout`) or the reason of `signal`; then the other handlers are
   * told to stop. While it runs a person may be thinking, so the time limits of whoever waits ought to stand still.
   *
   * Spec: basic/patterns/mrtr#client-requirements (2026-07-28).
   */
  answer(requests: InputRequests, origin: InputOrigin, signal: AbortSignal): Promise<InputResponses>;
}

import type { ClientCapabilities, InputRequest, JsonObject } from '@switchyard/protocol';

import type { Checked } from '../schema/value-schema.ts';

/**
 * Something a handler may ask its caller for. Made by `formQuestion`, `urlQuestion`, `samplingQuestion` and
 * `rootsQuestion`.
 */
export interface Question<T> {
  /** What is sent. */
  readonly request: InputRequest;
  /** Answers what the client would have to declare as well before it may be asked, or `undefined`. */
  lacks(capabilities: ClientCapabilities): ClientCapabilities | undefined;
  /** Reads an answer of the right shape: the value that the handler gets, or one sentence on what is wrong with it. */
  read(answer: JsonObject): Checked | Promise<Checked>;
  /** Never set; carries the type of the answer. */
  readonly answered?: T;
}

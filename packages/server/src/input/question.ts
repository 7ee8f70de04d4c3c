import type { ClientCapabilities, InputRequest, JsonObject } from '@switchyard/protocol';

import type { Checked } from '../definition/value-schema.ts';
import { digestOf } from '../state/digest.ts';

/** Something a handler may ask its caller for. Made by `formQuestion`, `urlQuestion`, `samplingQuestion` and `rootsQuestion`. */
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

/** Answers the digest that tells one question from another: 128 bits in 22 characters. */
export function questionDigest(request: InputRequest): string {
  return digestOf(request).slice(0, 22);
}

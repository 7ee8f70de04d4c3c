import { isJsonObject, type JsonObject } from '@switchyard/protocol';

import type { RawAnswer } from './raw-connection.ts';

const MAX_STRAY = 20;
const MAX_STRAY_CHARS = 200;
const MAX_MESSAGES = 10_000;

/** Collects what comes for one message. */
export interface AnswerBuilder {
  /** Takes one line, event or body and answers whether it was the response. */
  push(text: string): boolean;
  /** Whether more came than is kept: 10,000 messages, or `maxChars` characters. */
  readonly isFull: boolean;
  build(head?: Pick<RawAnswer, 'status' | 'headers'>): RawAnswer;
}

/** Creates a builder for the answer to a message, of at most `maxChars` characters. A response is one that carries the id of the message, or none. */
export function createAnswerBuilder(message: JsonObject, maxChars: number): AnswerBuilder {
  const received: JsonObject[] = [];
  const stray: string[] = [];
  let response: JsonObject | undefined;
  let chars = 0;

  return {
    push(text) {
      chars += text.length;
      const value = parse(text);
      if (!isJsonObject(value)) {
        if (stray.length < MAX_STRAY) stray.push(text.slice(0, MAX_STRAY_CHARS));
        return false;
      }
      received.push(value);
      if (!isResponse(value, message['id'])) return false;
      response = value;
      return true;
    },
    get isFull() {
      return received.length > MAX_MESSAGES || chars > maxChars;
    },
    build: (head = {}) => ({ received, response, stray, chars, ...head }),
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // It is no message, which is what the caller learns.
    return undefined;
  }
}

function isResponse(message: JsonObject, id: unknown): boolean {
  if (!Object.hasOwn(message, 'result') && !Object.hasOwn(message, 'error')) return false;
  const { id: answered } = message;
  return answered === undefined || answered === null || answered === id;
}

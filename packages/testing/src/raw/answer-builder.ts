import { redactSecrets } from '@switchyard/guards';
import { isJsonObject, type JsonObject } from '@switchyard/protocol';

import type { RawAnswer } from './raw-connection.ts';
import { twiceNamed } from './twice-named.ts';

const MAX_STRAY = 20;
/** More than is shown anywhere, so that what is cut off there was whole when it was masked. */
const MAX_STRAY_CHARS = 2_000;
const MAX_SEARCHED_CHARS = 64 * 1024;
const MAX_MESSAGES = 10_000;
const MAX_NAME_CHARS = 40;
const MARK = '\ufeff';

/** Collects what comes for one message. */
export interface AnswerBuilder {
  /** Takes one line, event or body and answers whether it was the response. */
  push(text: string): boolean;
  /** Takes what came behind the response. */
  pushLate(text: string): void;
  /** Notes what is wrong with the form of the answer. */
  addFlaw(flaw: string): void;
  /** Whether more came than is kept: 10,000 messages, or `maxChars` characters. */
  readonly isFull: boolean;
  build(head?: Pick<RawAnswer, 'status' | 'headers'>): RawAnswer;
}

/**
 * Creates a builder for the answer to a message, of at most `maxChars` characters. A response is one that carries the
 * id of the message, or none.
 */
export function createAnswerBuilder(message: JsonObject, maxChars: number): AnswerBuilder {
  const received: JsonObject[] = [];
  const stray: string[] = [];
  const flaws = new Set<string>();
  let response: JsonObject | undefined;
  let chars = 0;

  return {
    push(text) {
      chars += text.length;
      const value = parse(text);
      if (!isJsonObject(value)) {
        // Masked before it is cut, so that no secret loses the end that tells it.
        if (stray.length < MAX_STRAY)
          stray.push(redactSecrets(text.slice(0, MAX_SEARCHED_CHARS)).slice(0, MAX_STRAY_CHARS));
        return false;
      }
      received.push(value);
      if (!isResponse(value, message['id'])) return false;
      response = value;
      if (text.startsWith(MARK)) flaws.add('a byte order mark stands before its JSON');
      const name = twiceNamed(text);
      if (name !== undefined)
        flaws.add(`the member ${JSON.stringify(name.slice(0, MAX_NAME_CHARS))} stands twice in one object of it`);
      return true;
    },
    pushLate(text) {
      const value = parse(text);
      if (isJsonObject(value) && isResponse(value, message['id'])) flaws.add('a second response came behind it');
    },
    addFlaw: (flaw) => void flaws.add(flaw),
    get isFull() {
      return received.length > MAX_MESSAGES || chars > maxChars;
    },
    build: (head = {}) => ({
      received,
      response,
      stray,
      ...(flaws.size === 0 ? {} : { flaws: [...flaws] }),
      chars,
      ...head,
    }),
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text.startsWith(MARK) ? text.slice(1) : text);
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

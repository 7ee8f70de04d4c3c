import { type InputRequest, type JsonObject, stringifyJson } from '@switchyard/protocol';

import { InputError } from '../handler/input-error.ts';

/** Most questions of a task that wait at once, and most characters of them together. */
const MAX_OPEN_ASKS = 32;
const MAX_OPEN_CHARS = 400_000;

interface OpenAsk {
  readonly chars: number;
  readonly resolve: (answer: JsonObject) => void;
  readonly reject: (reason: unknown) => void;
}

/** The questions of a handler that wait for their answers. */
export class OpenAsks {
  readonly #open = new Map<string, OpenAsk>();
  readonly #usedKeys = new Set<string>();
  #chars = 0;

  /** The keys of those that wait. */
  get keys(): Iterable<string> {
    return this.#open.keys();
  }

  /**
   * Adds a question, and answers the key under which it is asked.
   *
   * @throws InputError when there are too many, or too many characters of them.
   */
  add(key: string, request: InputRequest): { readonly key: string; readonly answer: Promise<JsonObject> } {
    if (this.#open.size >= MAX_OPEN_ASKS)
      throw new InputError('question', `a task may ask at most ${MAX_OPEN_ASKS} questions at once; await some first`);
    const chars = stringifyJson(request).length;
    if (this.#chars + chars > MAX_OPEN_CHARS)
      throw new InputError(
        'question',
        `with "${key}" the open questions of the task have more than ${MAX_OPEN_CHARS} characters as JSON`,
      );
    const unique = this.#uniqueKey(key);
    const { promise, resolve, reject } = Promise.withResolvers<JsonObject>();
    this.#open.set(unique, { chars, resolve, reject });
    this.#chars += chars;
    return { key: unique, answer: promise };
  }

  /** Gives a question its answer; one that does not wait is left. */
  resolve(key: string, answer: JsonObject): void {
    this.#close(key)?.resolve(answer);
  }

  reject(key: string, reason: unknown): void {
    this.#close(key)?.reject(reason);
  }

  rejectAll(reason: unknown): void {
    for (const key of this.#open.keys()) this.reject(key, reason);
  }

  #close(key: string): OpenAsk | undefined {
    const ask = this.#open.get(key);
    if (ask === undefined) return undefined;
    this.#open.delete(key);
    this.#chars -= ask.chars;
    return ask;
  }

  /** A key stands for one question over the life of a task. Spec: SEP-2663, task update requests. */
  #uniqueKey(key: string): string {
    let unique = key;
    for (let count = 2; this.#usedKeys.has(unique); count += 1) unique = `${key}~${count}`;
    this.#usedKeys.add(unique);
    return unique;
  }
}

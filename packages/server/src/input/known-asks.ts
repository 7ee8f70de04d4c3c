import { InputError } from '../handler/input-error.ts';
import { assertKey } from '../handler/key.ts';
import type { Question } from '../handler/question.ts';
import { Ask, type Asking } from './ask.ts';
import { questionDigest } from './journal.ts';

/**
 * How often one ask may be made in a run: a loop that waits for another answer under the same key would never end, nor
 * let others run.
 */
const MAX_SAME_ASKS = 100;

interface KnownAsk {
  readonly digest: string;
  readonly ask: Ask<unknown>;
  times: number;
}

/** The asks that a run made. Each key stands for one question. */
export class KnownAsks {
  readonly #asks = new Map<string, KnownAsk>();

  /**
   * Answers the ask that was made under the key before, or a new one; `asking` gets the digest of its question.
   *
   * @throws InputError `key` for a key that is none, stands for another question, or was asked 100 times; `question`
   *   for one that holds half of a surrogate pair.
   */
  askOf<T>(key: string, question: Question<T>, asking: (digest: string) => Asking<T>): Ask<T> {
    assertKey('ask', key);
    const digest = digestOfQuestion(key, question);
    const known = this.#asks.get(key);
    if (known !== undefined) return again(key, digest, known) as Ask<T>;
    const ask = new Ask(asking(digest));
    this.#asks.set(key, { digest, ask, times: 1 });
    return ask;
  }

  /** Forgets the ask under a key. */
  forget(key: string): void {
    this.#asks.delete(key);
  }

  /** The keys of those that nobody awaited. */
  neverAwaited(): readonly string[] {
    return [...this.#asks].filter(([, { ask }]) => !ask.awaited).map(([key]) => key);
  }
}

function again(key: string, digest: string, known: KnownAsk): Ask<unknown> {
  known.times += 1;
  if (known.times > MAX_SAME_ASKS)
    throw new InputError(
      'key',
      `the ask "${key}" was made ${MAX_SAME_ASKS} times in this run, and its answer stays the same: to ask again, use another key, in a loop one with the index`,
    );
  if (known.digest === digest) return known.ask;
  throw new InputError('key', `the key "${key}" already stands for another question in this run: use a key of its own`);
}

function digestOfQuestion(key: string, { request }: Question<unknown>): string {
  try {
    return questionDigest(request);
  } catch (cause) {
    throw new InputError('question', `the ask "${key}" holds text that is not well-formed Unicode`, { cause });
  }
}

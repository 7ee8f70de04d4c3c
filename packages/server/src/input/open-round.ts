import type { Question } from '../handler/question.ts';
import { macrotask } from '../timing/macrotask.ts';
import { never } from './never.ts';
import type { RoundEnd, RunSite } from './run-site.ts';
import { unaskable } from './unaskable.ts';

/**
 * The round that a run is in: what it waits for, and when it is over.
 *
 * It ends one macrotask after an unanswered ask was awaited, when no work runs and no answer is being read or held:
 * everything that the handler awaited in between is asked together.
 */
export class OpenRound {
  readonly #site: RunSite;
  readonly #onOver: () => void;
  readonly #waiting = new Map<string, Question<unknown>>();
  /** The answers that are being read, or held: see {@link holdWithOthers}. */
  readonly #reading = new Set<Promise<unknown>>();
  #running = 0;
  #isEnding = false;
  #hasReturned = false;
  #isOver = false;

  /** `onOver` is called once, before anybody else hears that the round is over. */
  constructor(site: RunSite, onOver: () => void) {
    this.#site = site;
    this.#onOver = onOver;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Whether a step or an effect runs. */
  get isWorking(): boolean {
    return this.#running > 0;
  }

  /** Whether it is about to end with questions. */
  get isWaiting(): boolean {
    return this.#waiting.size > 0;
  }

  /** Puts a question to the client at the end of the round; nothing that awaits its answer goes on in this one. */
  wait<T>(key: string, question: Question<T>): Promise<T> {
    this.#waiting.set(key, question);
    this.#endSoon();
    return never();
  }

  /** Begins work that the end of the round waits for; {@link workEnds} follows. */
  workBegins(): void {
    this.#running += 1;
  }

  workEnds(): void {
    this.#running -= 1;
    if (this.isWaiting) this.#endSoon();
  }

  /** Answers whether the question under this key is put to the client at the end of the round. */
  isWaitingFor(key: string): boolean {
    return this.#waiting.has(key);
  }

  /**
   * Waits until an answer is read: one that is none must end the round before what waits beside it does, which would
   * seal it as given.
   */
  async untilRead<T>(reading: Promise<T>): Promise<T> {
    this.#reading.add(reading);
    try {
      return await reading;
    } finally {
      this.#readingEnds(reading);
    }
  }

  /**
   * Holds an answer until all are read that are awaited together with it. Where one of them is none, or cannot be
   * asked, the others have not reached the handler, and the retry is not used up.
   */
  async holdWithOthers<T>(reading: Promise<T>): Promise<T> {
    this.#reading.add(reading);
    await new Promise<void>(macrotask);
    await Promise.allSettled(this.#reading);
    const missing = this.#unaskable();
    if (missing !== undefined) this.conclude({ error: missing });
    this.#readingEnds(reading);
    return reading;
  }

  /** Tells that the handler has returned: what it dropped is not asked, however long its result takes to be made. */
  returned(): void {
    this.#hasReturned = true;
  }

  /** Ends the round before its handler ends; after its end it does nothing. */
  conclude(end: RoundEnd): void {
    if (this.#isOver) return;
    this.#close();
    this.#site.conclude(end);
  }

  /** Ends the round with its handler; after its end it does nothing. */
  end(): void {
    if (this.#isOver) return;
    if (this.isWaiting) this.#warnOfDropped();
    this.#close();
  }

  #readingEnds(reading: Promise<unknown>): void {
    this.#reading.delete(reading);
    if (this.isWaiting) this.#endSoon();
  }

  #close(): void {
    this.#isOver = true;
    this.#onOver();
  }

  #endSoon(): void {
    if (this.#isEnding || this.#isOver) return;
    this.#isEnding = true;
    macrotask(() => {
      this.#isEnding = false;
      // Work that runs comes back here when it is done, and so does an answer that is being read.
      if (this.#hasReturned || this.#running > 0 || this.#reading.size > 0) return;
      const missing = this.#unaskable();
      this.conclude(missing === undefined ? { asked: this.#waiting } : { error: missing });
    });
  }

  #unaskable(): ReturnType<typeof unaskable> {
    return unaskable(this.#waiting.values(), this.#site.capabilities);
  }

  #warnOfDropped(): void {
    const { logger, about } = this.#site;
    logger.warn(
      { ...about, keys: [...this.#waiting.keys()] },
      this.#running > 0
        ? 'asks were dropped while a step or an effect ran: an ask inside of one is never answered'
        : 'asks were dropped: the handler ended without their answers',
    );
  }
}

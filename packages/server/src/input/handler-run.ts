import {
  type ClientCapabilities,
  clip,
  type InputRequest,
  type JsonObject,
  type Logger,
  type ProtocolError,
} from '@switchyard/protocol';

import { MAX_LOGGED_CHARS } from '../dispatch/logged.ts';
import { macrotask } from '../timing/macrotask.ts';
import { answerLive, type Answers, badAnswer, type LiveAsk, readAnswer } from './answers.ts';
import { Ask } from './ask.ts';
import { never } from './heard.ts';
import { InputError } from '../handler/input-error.ts';
import { createJournal, type Journal, looseIn, questionDigest } from './journal.ts';
import { assertKey } from '../handler/key.ts';
import { type Outcome, outcomeOf, replayOutcome } from '../effects/outcome.ts';
import { unaskable } from './unaskable.ts';
import type { Question } from '../handler/question.ts';
import type { Checked } from '../schema/value-schema.ts';
import { Work } from './work.ts';

/** Largest value of a step as JSON: 16 KiB. */
const MAX_STEP_BYTES = 16 * 1024;

/** What a run needs of the request that it serves. */
export interface RunSite {
  readonly capabilities: ClientCapabilities;
  /** Present: asks are sent to the client at once, and the handler waits. Absent: an unanswered ask ends the round. */
  live(): LiveAsk | undefined;
  /** How often a live ask is put whose answer is none: at least once. */
  liveTries(): number;
  /** What a retry without a state answers. */
  readonly loose: Answers;
  readonly development: boolean;
  /** It must not throw. */
  readonly logger: Logger;
  /** What the log calls the handler. */
  readonly about: { readonly method: string; readonly name: string };
  /** Whether a retry is used up as soon as this answer reaches the handler. */
  isCounted(key: string): boolean;
  /** Told the key of each answer that reaches the handler. */
  answered(key: string): void;
  /** Ends the round: with the questions that wait, or with the error that the request gets. */
  conclude(end: RoundEnd): void;
}

/** How a round ended before its handler did. */
export type RoundEnd = { readonly asked: ReadonlyMap<string, Question<unknown>> } | { readonly error: ProtocolError };

/** How many failures of work that nobody awaits are kept for the log. */
const MAX_UNHEARD = 100;

/** How often one ask may be made in a run: a loop that waits for another answer under the same key would never end, nor let others run. */
const MAX_SAME_ASKS = 100;

interface KnownAsk {
  readonly digest: string;
  readonly ask: Ask<unknown>;
  times: number;
}

/**
 * One run of a handler that asks for input: what it asked, what is answered, which steps are done.
 *
 * The round ends one macrotask after an unanswered ask was awaited, when no step runs: everything that the handler awaited in between
 * is asked together. From then on nothing that the handler awaits here settles any more, unless its client is asked while it waits: such
 * a handler runs once, and its `finally` must run.
 */
export class HandlerRun {
  readonly #site: RunSite;
  readonly #journal: Journal;
  readonly #asks = new Map<string, KnownAsk>();
  readonly #waiting = new Map<string, Question<unknown>>();
  readonly #steps = new Set<string>();
  /** The answers that are read and held, see `#withOthers`. */
  readonly #held = new Set<Promise<unknown>>();
  /** What failed before the run was over, of which nobody may know. */
  readonly #failed: { readonly work: Work<unknown>; readonly err: unknown }[] = [];
  readonly #atEnd: (() => unknown)[] = [];
  #running = 0;
  #asking = 0;
  /** The piece of work whose synchronous part runs now. */
  #inside: string | undefined;
  #ending = false;
  #hasReturned = false;
  #over = false;

  constructor(site: RunSite, journal: Journal = createJournal()) {
    this.#site = site;
    this.#journal = journal;
  }

  /** Whether a legacy client is being asked and has not answered. */
  get isAsking(): boolean {
    return this.#asking > 0;
  }

  /** Whether the round is about to end with questions. */
  get isWaiting(): boolean {
    return this.#waiting.size > 0;
  }

  /** See `RequestContext.elicit`. */
  ask<T>(key: string, question: Question<T>): PromiseLike<T> {
    assertKey('ask', key);
    const digest = digestOfQuestion(key, question);
    const known = this.#asks.get(key);
    if (known !== undefined) {
      known.times += 1;
      if (known.times > MAX_SAME_ASKS)
        throw new InputError(
          'key',
          `the ask "${key}" was made ${MAX_SAME_ASKS} times in this run, and its answer stays the same: to ask again, use another key, in a loop one with the index`,
        );
      if (known.digest === digest) return known.ask as Ask<T>;
      throw new InputError(
        'key',
        `the key "${key}" already stands for another question in this run: use a key of its own`,
      );
    }
    const inside = this.#inside;
    const ask = new Ask(() => this.#untilDropped(this.#answerTo(key, question, digest, inside)));
    this.#asks.set(key, { digest, ask, times: 1 });
    return ask;
  }

  /** See `RequestContext.step`. */
  step(name: string, work: () => unknown): Promise<unknown> {
    return this.watch(`the step "${name}"`, () => this.#step(name, work));
  }

  async #step(name: string, work: () => unknown): Promise<unknown> {
    assertKey('step', name);
    if (this.#steps.has(name))
      throw new InputError(
        'key',
        `the step "${name}" already ran in this run: use a name of its own, in a loop one with the index`,
      );
    this.#steps.add(name);
    const done = this.#journal.steps.get(name);
    if (done !== undefined) return replayOutcome(done);
    return this.work(async () => {
      const what = `the step "${name}"`;
      const { outcome, cause } = await outcomeOf(what, () => this.inside(what, work), MAX_STEP_BYTES);
      this.#journal.steps.set(name, outcome);
      return { outcome, cause };
    });
  }

  /**
   * Begins work and answers its promise, which never settles once the run is dropped. A failure that nobody awaited is logged in development:
   * where it stands, its author would not see it.
   */
  watch<T>(what: string, begin: () => Promise<T>): Work<T> {
    const begun = begin();
    const work = new Work(what, this.#untilDropped(begun));
    begun.catch((err: unknown) => {
      if (!this.#site.development || work.awaited) return;
      if (this.#over) this.#logUnheard(work, err);
      else if (this.#failed.length < MAX_UNHEARD) this.#failed.push({ work, err });
    });
    return work;
  }

  /** Whether the run is over and goes no further: one whose client is asked while it waits goes on to its own end. */
  get #isDropped(): boolean {
    return this.#over && this.#site.live() === undefined;
  }

  /** Settles as `promise` does, as long as the run is not dropped. */
  async #untilDropped<T>(promise: Promise<T>): Promise<T> {
    try {
      const value = await promise;
      if (!this.#isDropped) return value;
    } catch (error) {
      if (!this.#isDropped) throw error;
    }
    return never();
  }

  /** Runs work, and knows what it asks before it first waits: an ask that the end of the round would wait for can never be answered. */
  inside<T>(what: string, work: () => T): T {
    const outer = this.#inside;
    this.#inside = what;
    try {
      return work();
    } finally {
      this.#inside = outer;
    }
  }

  /** Runs work that the end of the round waits for, and answers its outcome; in a run that is dropped it does not begin. */
  async work(run: () => Promise<{ readonly outcome: Outcome; readonly cause?: unknown }>): Promise<unknown> {
    if (this.#isDropped) return never();
    this.#running += 1;
    try {
      const { outcome, cause } = await run();
      return replayOutcome(outcome, cause);
    } finally {
      this.#running -= 1;
      if (this.#waiting.size > 0) this.#endSoon();
    }
  }

  /** See `RequestContext.onRoundEnd`. */
  onRoundEnd(release: () => unknown): void {
    if (this.#over) this.#release(release);
    else this.#atEnd.push(release);
  }

  /** Tells that the handler has returned: what it dropped is not asked, however long its result takes to be made. */
  returned(): void {
    this.#hasReturned = true;
  }

  /** Ends the run, once: after the handler, or after the round was concluded. */
  end(): void {
    if (!this.#over) this.#logDropped();
    this.#over = true;
    for (const release of this.#atEnd.splice(0)) this.#release(release);
  }

  async #answerTo<T>(
    key: string,
    question: Question<T>,
    digest: string,
    inside: string | undefined,
    tries = 1,
  ): Promise<T> {
    if (this.#isDropped) return never();
    const { capabilities } = this.#site;
    const live = this.#site.live();
    const missing = unaskable([question], capabilities);
    if (missing !== undefined) {
      // Of a run that is not repeated, `finally` must run.
      if (live !== undefined) throw missing;
      return this.#wait(key, question, inside);
    }
    const answer = live === undefined ? this.#given(key, digest) : await this.#askLive(live, key, question.request);
    if (answer === undefined) return this.#wait(key, question, inside);
    const reading = live === undefined ? this.#readGiven(key, question, answer) : readAnswer(question, answer);
    const read = await (this.#site.isCounted(key) ? this.#withOthers(reading) : reading);
    if (this.#isDropped) return never();
    if ('value' in read) {
      this.#journal.answers.set(key, { question: digest, answer });
      this.#site.answered(key);
      return read.value as T;
    }
    if (live !== undefined && tries < this.#site.liveTries())
      return this.#answerTo(key, question, digest, inside, tries + 1);
    throw new InputError('answer', `the client's answer to "${key}" is none: ${read.problem}`);
  }

  /** Reads an answer that a retry brought. One that is none ends the round. */
  async #readGiven(key: string, question: Question<unknown>, answer: JsonObject): Promise<Checked> {
    const read = await readAnswer(question, answer);
    if ('problem' in read && !this.#over) this.#conclude({ error: badAnswer(key, read.problem) });
    return read;
  }

  /**
   * Holds an answer until all are read that are awaited together with it. Where one of them is none, or cannot be asked, the others have
   * not reached the handler, and the retry is not used up.
   */
  async #withOthers<T>(reading: Promise<T>): Promise<T> {
    this.#held.add(reading);
    await new Promise<void>(macrotask);
    await Promise.allSettled(this.#held);
    this.#held.delete(reading);
    const missing = unaskable(this.#waiting.values(), this.#site.capabilities);
    if (missing !== undefined && !this.#over) this.#conclude({ error: missing });
    if (this.#waiting.size > 0) this.#endSoon();
    return reading;
  }

  async #askLive(live: LiveAsk, key: string, request: InputRequest): Promise<JsonObject> {
    this.#asking += 1;
    try {
      return await answerLive(live, key, request);
    } finally {
      this.#asking -= 1;
    }
  }

  /** An answer that was given to the same question on an earlier round, or that came without a state. */
  #given(key: string, digest: string): JsonObject | undefined {
    const answered = this.#journal.answers.get(key);
    if (answered !== undefined) return answered.question === digest ? answered.answer : undefined;
    const loose = looseIn(this.#journal, this.#site.loose);
    return Object.hasOwn(loose, key) ? loose[key] : undefined;
  }

  #wait<T>(key: string, question: Question<T>, inside: string | undefined): Promise<T> {
    if (inside !== undefined)
      throw new InputError(
        'not-here',
        `the ask "${key}" stands inside of ${inside}, which the end of the round waits for: ask before it, and use the answer in it`,
      );
    this.#waiting.set(key, question);
    this.#endSoon();
    return never();
  }

  #endSoon(): void {
    if (this.#ending || this.#over) return;
    this.#ending = true;
    macrotask(() => {
      this.#ending = false;
      // A step that runs comes back here when it is done, and so does an answer that is held.
      if (this.#over || this.#hasReturned || this.#running > 0 || this.#held.size > 0) return;
      const missing = unaskable(this.#waiting.values(), this.#site.capabilities);
      this.#conclude(missing === undefined ? { asked: this.#waiting } : { error: missing });
    });
  }

  #conclude(end: RoundEnd): void {
    this.#logNeverAwaited();
    this.#over = true;
    this.#site.conclude(end);
  }

  #logDropped(): void {
    const { logger, about } = this.#site;
    if (this.#waiting.size > 0)
      logger.warn(
        { ...about, keys: [...this.#waiting.keys()] },
        this.#running > 0
          ? 'asks were dropped while a step or an effect ran: an ask inside of one is never answered'
          : 'asks were dropped: the handler ended without their answers',
      );
    this.#logNeverAwaited();
  }

  #logNeverAwaited(): void {
    const { development, logger, about } = this.#site;
    if (!development) return;
    const keys = [...this.#asks].filter(([, { ask }]) => !ask.awaited).map(([key]) => key);
    if (keys.length > 0) logger.warn({ ...about, keys }, 'asks were never awaited, so they were not sent: await them');
    for (const { work, err } of this.#failed.splice(0)) {
      if (!work.awaited) this.#logUnheard(work, err);
    }
  }

  #logUnheard({ what }: Work<unknown>, err: unknown): void {
    const { logger, about } = this.#site;
    logger.warn({ ...about, work: clip(what, MAX_LOGGED_CHARS), err }, 'work failed that nobody awaited: await it');
  }

  #release(release: () => unknown): void {
    const failed = (err: unknown): void =>
      this.#site.logger.error({ ...this.#site.about, err }, 'a function given to onRoundEnd failed');
    try {
      Promise.resolve(release()).catch(failed);
    } catch (error) {
      failed(error);
    }
  }
}

function digestOfQuestion(key: string, { request }: Question<unknown>): string {
  try {
    return questionDigest(request);
  } catch (cause) {
    throw new InputError('question', `the ask "${key}" holds text that is not well-formed Unicode`, { cause });
  }
}

import type { InputRequest, JsonObject } from '@switchyard/protocol';

import { type Outcome, outcomeOf, replayOutcome } from '../effects/outcome.ts';
import { InputError } from '../handler/input-error.ts';
import { assertKey } from '../handler/key.ts';
import type { LiveAsk } from '../handler/live-ask.ts';
import type { Question } from '../handler/question.ts';
import type { Checked } from '../schema/value-schema.ts';
import { answerLive, badAnswer, readAnswer } from './answers.ts';
import { never } from './never.ts';
import { type Journal, looseIn } from './journal.ts';
import { KnownAsks } from './known-asks.ts';
import { OpenRound } from './open-round.ts';
import { Releases } from './releases.ts';
import type { RunSite } from './run-site.ts';
import { unaskable } from './unaskable.ts';
import { Unheard } from './unheard.ts';
import { Work } from './work.ts';
import { insideOf, runInside } from './work-place.ts';

/** Largest value of a step as JSON: 16 KiB. */
const MAX_STEP_BYTES = 16 * 1024;

/** A question that a run asks. */
interface Asked<T> {
  readonly key: string;
  readonly question: Question<T>;
  readonly digest: string;
  /** The step or effect that made the ask. */
  readonly inside: string | undefined;
}

/**
 * One run of a handler that asks for input: what it asked, what is answered, which steps are done.
 *
 * From the end of its round on, nothing that the handler awaits here settles any more, unless its client is asked while
 * it waits: such a handler runs once, and its `finally` must run.
 */
export class HandlerRun {
  readonly #site: RunSite;
  readonly #journal: Journal;
  readonly #asks = new KnownAsks();
  readonly #steps = new Set<string>();
  readonly #unheard: Unheard;
  readonly #releases: Releases;
  readonly #round: OpenRound;
  #asking = 0;

  constructor(site: RunSite, journal: Journal) {
    this.#site = site;
    this.#journal = journal;
    this.#unheard = new Unheard(site);
    this.#releases = new Releases(site);
    this.#round = new OpenRound(site, () => this.#unheard.tell(this.#asks));
  }

  /** Whether a legacy client is being asked and has not answered. */
  get isAsking(): boolean {
    return this.#asking > 0;
  }

  /** Whether a step or an effect runs. */
  get isWorking(): boolean {
    return this.#round.isWorking;
  }

  /** Whether the round is about to end with questions. */
  get isWaiting(): boolean {
    return this.#round.isWaiting;
  }

  /** The step or effect that the calling code stands in, as errors call it. */
  get standsIn(): string | undefined {
    return insideOf(this);
  }

  /** See `RequestContext.elicit`. */
  ask<T>(key: string, question: Question<T>): PromiseLike<T> {
    const inside = insideOf(this);
    return this.#asks.askOf(key, question, (digest) => ({
      begin: () => this.#answerTo({ key, question, digest, inside }),
      hand: (answer) => this.#hand(key, answer),
    }));
  }

  /** See `RequestContext.step`. */
  step(name: string, work: () => unknown): Promise<unknown> {
    const what = `the step "${name}"`;
    return this.watch(what, () => this.#step(name, what, work));
  }

  async #step(name: string, what: string, work: () => unknown): Promise<unknown> {
    assertKey('step', name);
    if (this.#steps.has(name))
      throw new InputError(
        'key',
        `${what} already ran in this run: use a name of its own, in a loop one with the index`,
      );
    this.#steps.add(name);
    const done = this.#journal.steps.get(name);
    if (done !== undefined) return replayOutcome(done);
    return this.work(async () => {
      const ended = await outcomeOf(what, () => this.inside(what, work), MAX_STEP_BYTES);
      this.#journal.steps.set(name, ended.outcome);
      return ended;
    });
  }

  /** Begins work and answers its promise, which never settles once the run is dropped. */
  watch<T>(what: string, begin: () => Promise<T>): Work<T> {
    const begun = begin();
    const work = new Work(what, this.#untilDropped(begun));
    begun.catch((err: unknown) => this.#unheard.failed(work, err));
    return work;
  }

  /**
   * Runs work, and knows what it asks: the end of the round waits for the work, so an ask inside of it can never be
   * answered.
   */
  inside(what: string, work: () => unknown): Promise<unknown> {
    return runInside(this, what, work);
  }

  /**
   * Runs work that the end of the round waits for, and answers its outcome; in a run that is dropped it does not begin,
   * unless it is part of work that did.
   */
  async work(run: () => Promise<{ readonly outcome: Outcome; readonly cause?: unknown }>): Promise<unknown> {
    if (this.#isDropped && insideOf(this) === undefined) return never();
    this.#round.workBegins();
    try {
      const { outcome, cause } = await run();
      return replayOutcome(outcome, cause);
    } finally {
      this.#round.workEnds();
    }
  }

  /** See `RequestContext.onRoundEnd`. */
  onRoundEnd(release: () => unknown): void {
    this.#releases.add(release);
  }

  /** Tells that the handler has returned. */
  returned(): void {
    this.#round.returned();
  }

  /** Ends the run: after the handler, or after the round was concluded. */
  end(): void {
    this.#round.end();
    this.#releases.callAll();
  }

  /** Whether the run is over and goes no further: one whose client is asked while it waits goes on to its own end. */
  get #isDropped(): boolean {
    return this.#round.isOver && this.#site.live() === undefined;
  }

  /**
   * Settles as `promise` does, as long as the run is not dropped. What work awaits settles in any case: work that has
   * begun goes on to its end, and the claim of an effect is held until then.
   */
  async #untilDropped<T>(promise: Promise<T>): Promise<T> {
    const isInside = insideOf(this) !== undefined;
    try {
      const value = await promise;
      if (isInside || !this.#isDropped) return value;
    } catch (error) {
      if (isInside || !this.#isDropped) throw error;
    }
    return never();
  }

  /** What one who awaits an ask gets. Inside of work, what was asked beside it has no answer in this round, either. */
  #hand<T>(key: string, answer: Promise<T>): Promise<T> {
    const inside = this.#round.isWaitingFor(key) ? insideOf(this) : undefined;
    return inside === undefined ? this.#untilDropped(answer) : Promise.reject(askInside(key, inside));
  }

  async #answerTo<T>(asked: Asked<T>, tries = 1): Promise<T> {
    const { key, question, digest } = asked;
    if (this.#goesNoFurther(asked)) return this.#wait(asked);
    const live = this.#site.live();
    const missing = unaskable([question], this.#site.capabilities);
    if (missing !== undefined) {
      // Of a run that is not repeated, `finally` must run.
      if (live !== undefined) throw missing;
      return this.#wait(asked);
    }
    const answer = live === undefined ? this.#given(asked) : await this.#askLive(live, key, question.request);
    if (answer === undefined) return this.#wait(asked);
    const read = await (live === undefined ? this.#readGiven(key, question, answer) : readAnswer(question, answer));
    if (this.#goesNoFurther(asked)) return this.#wait(asked);
    if ('value' in read) {
      this.#journal.answers.set(key, { question: digest, answer });
      this.#site.answered(key);
      return read.value as T;
    }
    if (live === undefined) return this.#askAnew(asked);
    if (tries < this.#site.liveTries()) return this.#answerTo(asked, tries + 1);
    throw new InputError('answer', `the client's answer to "${key}" is none: ${read.problem}`);
  }

  /**
   * Asks again what was answered on an earlier round: what the answer is held against has changed, or it was never
   * read.
   */
  #askAnew<T>(asked: Asked<T>): Promise<T> {
    const { logger, about } = this.#site;
    logger.info({ ...about, key: asked.key }, 'an answer of an earlier round is none any more: it is asked anew');
    this.#journal.answers.delete(asked.key);
    return this.#wait(asked);
  }

  /**
   * Whether nothing is answered any more: work that has begun goes on, with the answers that there are, also those to
   * what was asked beside it.
   */
  #goesNoFurther({ inside }: Asked<unknown>): boolean {
    return this.#isDropped && inside === undefined && !this.isWorking;
  }

  #wait<T>({ key, question, inside = insideOf(this) }: Asked<T>): Promise<T> {
    if (inside !== undefined) {
      // Beside the work the same may be asked.
      this.#asks.forget(key);
      throw askInside(key, inside);
    }
    return this.#round.wait(key, question);
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
  #given({ key, digest }: Asked<unknown>): JsonObject | undefined {
    const answered = this.#journal.answers.get(key);
    if (answered !== undefined) return answered.question === digest ? answered.answer : undefined;
    const loose = looseIn(this.#journal, this.#site.loose);
    return Object.hasOwn(loose, key) ? loose[key] : undefined;
  }

  /** Reads an answer that a retry brought, this one or one before. Of this one, what is none ends the round. */
  #readGiven(key: string, question: Question<unknown>, answer: JsonObject): Promise<Checked> {
    const isBrought = this.#site.isBrought(key);
    const isOfNow = isBrought || !this.#journal.answers.has(key);
    const reading = readAnswer(question, answer).then((read) => {
      if (isOfNow && 'problem' in read) this.#round.conclude({ error: badAnswer(key, read.problem) });
      return read;
    });
    return isBrought && this.#site.isCounted() ? this.#round.holdWithOthers(reading) : this.#round.untilRead(reading);
  }
}

function askInside(key: string, inside: string): InputError {
  return new InputError(
    'not-here',
    `the ask "${key}" stands inside of ${inside}, which the end of the round waits for: ask before it, and use the answer in it`,
  );
}

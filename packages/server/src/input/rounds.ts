import type { InputRequiredResult, ProtocolError, Result } from '@switchyard/protocol';

import { toJsonCopy } from '../effects/json-copy.ts';
import type { Question } from '../handler/question.ts';
import { MAX_SEALED_CHARS } from '../state/state-sealer.ts';
import { type Answers, noAnswers, takeAnswers } from './answers.ts';
import { answerPending, askIn, createJournal, type Journal, looseIn } from './journal.ts';
import { warnOfOtherKeys, warnOfUnbound } from './other-keys.ts';
import { JournalSealing, type SealingSite } from './sealed-journal.ts';

/** What rounds need of the server. */
export interface RoundsSite extends SealingSite {
  /** Whether the log names answers that count for nothing. */
  readonly development: boolean;
}

/** The request that the rounds are of. */
export interface RequestOfRounds {
  readonly name: string;
  /** What the log calls its handler. */
  readonly about: object;
  /** Answers the digest of everything that its states are bound to. */
  bindingOf(): string;
  /** Answers, or throws, what the caller gets who was asked too often. */
  giveUp(message: string): Result;
}

/** The rounds of one request: they are counted, what was answered in them is kept, and it travels as request state. */
export class Rounds {
  readonly #site: RoundsSite;
  readonly #request: RequestOfRounds;
  readonly #sealing: JournalSealing;
  #journal = createJournal();
  #loose = noAnswers;

  constructor(site: RoundsSite, request: RequestOfRounds) {
    this.#site = site;
    this.#request = request;
    this.#sealing = new JournalSealing(site, request.about, request.bindingOf);
  }

  get journal(): Journal {
    return this.#journal;
  }

  /** What a retry without a state answers, as far as no explicit request for input took it. */
  get loose(): Answers {
    return this.#loose;
  }

  /** Takes the answers of a retry without a state. They count for nothing where a state is good for one retry. */
  takeLoose(responses: Answers, isSingleUse: boolean): void {
    if (isSingleUse) this.#warnOfUnbound(Object.keys(responses));
    else this.#loose = responses;
  }

  /**
   * Goes on where a state left off: answers what its retry answers, and when it expires, in milliseconds since the
   * epoch.
   *
   * @throws (as a rejection) ProtocolError -32602 for a state that is not good for this request, now, and for an answer
   *   of the wrong shape.
   */
  async takeUp(state: string, responses: Answers): Promise<{ readonly answers: Answers; readonly expiresAt: number }> {
    const { journal, expiresAt } = await this.#sealing.open(state);
    this.#journal = journal;
    this.#warnOfOtherKeys(responses, journal.pending);
    return { answers: answerPending(journal, responses), expiresAt };
  }

  /** Answers the error for a retry whose state was used before. */
  refuseUsed(): ProtocolError {
    return this.#sealing.refuse('used-before');
  }

  /**
   * Keeps a value of the author's for the next round. @throws InputError `value` for one that JSON cannot hold, or
   * larger than a state.
   */
  keep(value: unknown): void {
    const kept = toJsonCopy('what inputRequired keeps', value, MAX_SEALED_CHARS);
    this.#journal.kept = kept === undefined ? undefined : (JSON.parse(kept) as unknown);
  }

  /**
   * Answers what came without a state for what is asked explicitly, once; `undefined` where nothing did.
   *
   * @throws ProtocolError -32602 for an answer of the wrong shape.
   */
  useLoose(requests: ReadonlyMap<string, Question<unknown>>): Answers | undefined {
    const given = takeAnswers(requests, looseIn(this.#journal, this.#loose));
    if (given !== undefined) this.#loose = noAnswers;
    return given;
  }

  /** Ends the round: answers the request for input, with a state that holds the journal. */
  ask(asked: ReadonlyMap<string, Question<unknown>>): Promise<Result> {
    this.#warnOfOtherKeys(this.#loose, asked);
    this.#warnOfUnbound(Object.keys(this.#loose).filter((key) => asked.has(key)));
    return this.next(async () => {
      const inputRequests = askIn(this.#journal, asked);
      const result: InputRequiredResult = {
        resultType: 'input_required',
        ...(asked.size === 0 ? {} : { inputRequests }),
        requestState: await this.#sealing.seal(this.#journal),
      };
      return result;
    });
  }

  /**
   * Counts one more round and answers its result, or gives up where it is one too many. Rejects with InputError
   * `not-here` when the server has no state.
   */
  async next(round: () => Promise<Result>): Promise<Result> {
    const { maxRounds } = this.#sealing;
    if (this.#journal.round >= maxRounds)
      return this.#request.giveUp(`${this.#request.name} asked for input ${maxRounds} times without coming to an end`);
    this.#journal.round += 1;
    return round();
  }

  #warnOfOtherKeys(came: Answers, asked: ReadonlyMap<string, unknown>): void {
    const { development, logger } = this.#site;
    if (development) warnOfOtherKeys(came, { asked, journal: this.#journal }, logger, this.#request.about);
  }

  #warnOfUnbound(came: readonly string[]): void {
    const { development, logger } = this.#site;
    if (development) warnOfUnbound(came, logger, this.#request.about);
  }
}

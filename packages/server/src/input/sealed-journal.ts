import { type Logger, ProtocolError } from '@switchyard/protocol';

import { InputError } from '../handler/input-error.ts';
import type { RequestState } from '../state/request-state.ts';
import { MAX_SEALED_CHARS } from '../state/state-sealer.ts';
import { type Journal, journalFromJson, journalToJson, largestPart } from './journal.ts';

/** What sealing needs of the server. */
export interface SealingSite {
  /** `undefined`: none of its handlers may ask. */
  readonly state: RequestState | undefined;
  /** It must not throw. */
  readonly logger: Logger;
  /** Milliseconds since the epoch. */
  epochNow(): number;
}

/** Why a request state is refused. The log says so, and its sender never learns it. */
const refusals = {
  'not-ours': 'no key of this server opens it: it was altered, or sealed under a key that this process does not have',
  expired: 'its time (state.ttlMs) is over',
  'other-request':
    'it was made for another request: other arguments, another caller or audience, or a definition that has changed since',
  'used-before': 'it is good for one retry (singleUse), and another one came before',
} as const;

/** Seals the journal of one request as its state, and opens it when that comes back. */
export class JournalSealing {
  readonly #site: SealingSite;
  readonly #about: object;
  readonly #bindingOf: () => string;

  /**
   * `about` is what the log says of the request; `bindingOf` answers the digest of everything that the request is, of
   * `bindingDigest`.
   */
  constructor(site: SealingSite, about: object, bindingOf: () => string) {
    this.#site = site;
    this.#about = about;
    this.#bindingOf = bindingOf;
  }

  /** How often one request may ask for input. @throws InputError `not-here` when the server has no state. */
  get maxRounds(): number {
    return this.#state.maxRounds;
  }

  /**
   * Answers the request state that holds a journal.
   *
   * @throws (as a rejection) InputError `state`, which names the largest part, when it would be longer than
   *   {@link MAX_SEALED_CHARS}.
   */
  async seal(journal: Journal): Promise<string> {
    const { sealer, stateTtlMs } = this.#state;
    const binding = this.#bindingOf();
    const expiresAt = this.#site.epochNow() + stateTtlMs;
    const sealed = await sealer.seal({ binding, expiresAt, ...journalToJson(journal) });
    if (sealed.length <= MAX_SEALED_CHARS) return sealed;
    const largest = largestPart(journal);
    throw new InputError(
      'state',
      `the request state has ${sealed.length} bytes sealed and at most ${MAX_SEALED_CHARS} may travel` +
        (largest === undefined ? '' : `; the largest part is ${largest.what} with ${largest.chars} characters`) +
        ': keep large values in a store of your own and return a handle from the step',
    );
  }

  /**
   * Answers the journal of a request state, and when that expires, in milliseconds since the epoch.
   *
   * @throws (as a rejection) what {@link refuse} answers when it is not good for this request, now.
   */
  async open(sealed: string): Promise<{ readonly journal: Journal; readonly expiresAt: number }> {
    const { state } = this.#site;
    if (state === undefined) throw this.refuse('not-ours');
    const binding = this.#bindingOf();
    const now = this.#site.epochNow();
    const payload = await state.sealer.open(sealed);
    if (payload === undefined) throw this.refuse('not-ours');
    const expiresAt = payload['expiresAt'] as number;
    if (!(expiresAt > now)) throw this.refuse('expired');
    if (payload['binding'] !== binding) throw this.refuse('other-request');
    return { journal: journalFromJson(payload), expiresAt };
  }

  /**
   * Answers the error for a request state that is refused: one for every reason, since what failed is nobody's business
   * but that of whoever runs the server, who is told which it was.
   */
  refuse(reason: keyof typeof refusals): ProtocolError {
    this.#site.logger.info({ ...this.#about, reason, why: refusals[reason] }, 'request state refused');
    return new ProtocolError(
      'invalidParams',
      'The request state is not good for this request: send the request again without it and without its answers',
    );
  }

  get #state(): RequestState {
    const { state } = this.#site;
    if (state !== undefined) return state;
    throw new InputError(
      'not-here',
      'the server was made with `state: false`, so none of its handlers may ask for input',
    );
  }
}

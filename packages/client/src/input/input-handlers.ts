import type { CreateMessageResult, Root } from '@switchyard/protocol';
import type { Ask, Declined, FormAccepted, FormAsk, RootsAsk, SampleAsk, UrlAccepted, UrlAsk } from './ask.ts';

/** Roots that can change while a client lives. */
export interface RootsSource {
  /** Answers the roots that may be exposed now. */
  list(ask: RootsAsk): readonly Root[] | Promise<readonly Root[]>;
  /** Calls `onChange` whenever the list changes, until the function that it answers is called. */
  watch?(onChange: () => void): () => void;
}

/** What a `review` is shown: the answer as it would be sent. */
export type InputAnswer = FormAccepted | UrlAccepted | CreateMessageResult | { readonly roots: readonly Root[] };

/**
 * Who answers what a server asks for. Each handler that exists is declared as a capability, and no other: see
 * `ConnectOptions.capabilities` for declaring more, such as `sampling.tools`. Handlers run concurrently. While one
 * works, the time limits of the interrupted call stand still. One that throws ends the call with code `input-refused`,
 * and an answer that is not what was asked for with `invalid-argument`; nothing is sent then.
 *
 * What a server asks is untrusted text of somebody who may pretend to be somebody else.
 */
export interface InputHandlers {
  /** What every question says of the trust in this server, in words of the caller. Default `untrusted`. */
  readonly trust?: string;
  /**
   * Shows a form and answers what the user made of it. The user must be able to change every value before he accepts,
   * to decline and to cancel. `content` is checked against the form before it is sent. Forms with fields that look like
   * passwords, keys or payment data never come here: they are declined, with a warning.
   */
  elicitForm?(ask: FormAsk): Promise<FormAccepted | Declined>;
  /**
   * Asks for consent to open a page, showing `url`, `host` and `concerns`, opens it in a browser of its own, and answers
   * `accept` then. It may stay with the user until he says that he is done, and offer to go on or to give up: `accept`
   * sends the interrupted request again. URLs that are neither `https:` nor `http:` never come here: they are declined.
   */
  elicitUrl?(ask: UrlAsk): Promise<UrlAccepted | Declined>;
  /**
   * Has a model answer. The user must be able to see and change what is asked, and to say no, which ends the call with
   * code `input-refused`. `chooseModel` helps with `params.modelPreferences`.
   */
  sample?(ask: SampleAsk): Promise<CreateMessageResult | Declined>;
  /**
   * The folders that may be worked in: `file:` URIs. A server sees all of them whenever it asks, so a user should have
   * agreed. `createFileRoots` of the node entry checks and watches folders.
   */
  readonly roots?: readonly Root[] | RootsSource | ((ask: RootsAsk) => Promise<readonly Root[] | Declined>);
  /**
   * Sees every answer before it is sent, and answers it, changed or not, or declines. What it answers is checked as the
   * handler's own. Declined answers of a handler do not come here.
   */
  review?(ask: Ask, answer: InputAnswer): Promise<InputAnswer | Declined>;
  /** How often one request may ask before it ends with code `too-many-rounds`. Default 16. */
  readonly maxRounds?: number;
  /** How long a handler may take, in milliseconds, its review included; then the call ends with `timeout`. Default 600,000. */
  readonly timeoutMs?: number;
  /** How many handlers work at a time; more questions wait. Default 8. */
  readonly maxConcurrent?: number;
  /** How many questions to a model are taken within a minute; more are refused. Default 60. */
  readonly maxSamplesPerMinute?: number;
  /** Shows forms although fields of them look sensitive, and lists those in `sensitive`. Default: such are declined. */
  readonly allowsSensitiveForms?: boolean;
}

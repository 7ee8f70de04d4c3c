import type { FormContent } from './form-content.ts';
import type { CreateMessageParams, JsonObject, Revision } from '@switchyard/protocol';
import type { FormField } from './form-fields.ts';
import type { UrlConcern } from './inspect-url.ts';

/** The request that a server interrupts, as the caller gave it; frozen. */
export interface Interrupted {
  /** `tools/call`, `resources/read`, `prompts/get`, or another method at a legacy revision. */
  readonly method: string;
  /** The name of the tool or prompt, or the URI of the resource, where the method has one. */
  readonly name: string | undefined;
  readonly arguments: JsonObject | undefined;
}

/** What every question of a server comes with. Show `server` and `trust`, so that it is plain who asks. */
interface AskContext {
  /** The configured name of the server; never what it calls itself. */
  readonly server: string;
  /** The configured trust in the server, as `InputHandlers.trust`. */
  readonly trust: string;
  readonly revision: Revision;
  /** Absent where it cannot be told: at a legacy revision on stdio a request of the server names no other. */
  readonly interrupts: Interrupted | undefined;
  /** How often the interrupted request has asked, this time included; 1 where that cannot be told. */
  readonly round: number;
  /** The name that the server gave this question, as it came: compare it as it is, and clean it before it is shown. */
  readonly key: string;
  /** Aborts when the answer is no longer wanted: the call was given up, time is over, the server took it back. */
  readonly signal: AbortSignal;
}

/** A form for the user. Spec: client/elicitation#form-mode-elicitation-requests (2026-07-28). */
export interface FormAsk extends AskContext {
  readonly kind: 'form';
  /** Why the server asks: its text without control characters, at most 4,000 characters. URLs in it are no links. */
  readonly message: string;
  readonly fields: readonly FormField[];
  /** The names of the fields that look like passwords, keys or payment data. Empty unless such forms are allowed. */
  readonly sensitive: readonly string[];
  /** The schema as it came; frozen. An answer is checked against it. */
  readonly requestedSchema: JsonObject;
  /** Answers the declared defaults, with `values` in place of them where given. */
  prefill(values?: FormContent): FormContent;
}

/** A page that the user opens outside of this client. Spec: client/elicitation#url-mode-elicitation-requests (2026-07-28). */
export interface UrlAsk extends AskContext {
  readonly kind: 'url';
  /** As {@link FormAsk.message}. */
  readonly message: string;
  /** The whole URL, in ASCII; show it before asking for consent. Nothing was fetched from it. */
  readonly url: string;
  /** Its host with the port where that is not the usual one; emphasise it. */
  readonly host: string;
  /** What makes the URL doubtful; say so to the user. */
  readonly concerns: readonly UrlConcern[];
  /**
   * Resolves when the server says that the page is done with; it may never. Present at legacy revisions alone, where a
   * server has a way to say so.
   */
  readonly completed: Promise<void> | undefined;
}

/** A question to a model. Spec: client/sampling (2026-07-28). */
export interface SampleAsk extends AskContext {
  readonly kind: 'sample';
  /** What the server wants asked; frozen. `maxTokens` is the most that the answer may have. */
  readonly params: CreateMessageParams;
}

/** A question for the folders that may be worked in. Spec: client/roots (2026-07-28). */
export interface RootsAsk extends AskContext {
  readonly kind: 'roots';
}

/** Any question of a server. */
export type Ask = FormAsk | UrlAsk | SampleAsk | RootsAsk;

/** The user says no (`decline`), or leaves without a choice (`cancel`). */
export interface Declined {
  readonly action: 'decline' | 'cancel';
}

/** A filled-in form; without `content` it is accepted as it was prefilled. */
export interface FormAccepted {
  readonly action: 'accept';
  readonly content?: FormContent;
}

/** The user consents to open the page, and has opened it. */
export interface UrlAccepted {
  readonly action: 'accept';
}

import type { ValueSchema } from '../schema/value-schema.ts';

/** A form for the user. Spec: client/elicitation#form-mode-elicitation-requests (2026-07-28). */
export interface FormElicitation<S extends ValueSchema> {
  /** What the user reads: who asks for what, and why. */
  readonly message: string;
  /**
   * A flat object of strings, numbers, integers, booleans, choices and lists of choices, in zod, arktype, valibot or JSON Schema.
   * Passwords, keys and payment data are refused: ask for them with `url`.
   */
  readonly schema: S;
}

/** A page that the user opens out of the client's sight. Spec: client/elicitation#url-mode-elicitation-requests (2026-07-28). */
export interface UrlElicitation {
  readonly message: string;
  /** Absolute and without credentials; `https:` but on this machine. It must not hold anything of the user, or open without a login. */
  readonly url: string;
}

/** What the user did with a form: `content` has passed the schema, defaults filled in. */
export type FormAnswer<T> =
  { readonly action: 'accept'; readonly content: T } | { readonly action: 'decline' | 'cancel' };

/**
 * What the user did with a page. `accept` says that the user agreed to open it and nothing of what happened there: your own record of
 * the page says whether it was completed.
 */
export interface UrlAnswer {
  readonly action: 'accept' | 'decline' | 'cancel';
}

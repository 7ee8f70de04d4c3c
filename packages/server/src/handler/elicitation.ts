import { assertKnownOptions, type ClientCapabilities, type ElicitResult, type JsonObject } from '@switchyard/protocol';

import {
  type Accepted,
  type CompiledValueSchema,
  compileValueSchema,
  type ValueSchema,
} from '../schema/value-schema.ts';
import { isSecureUrl } from '../authorization/secure-url.ts';
import { type FormSchema, toFormSchema } from './form-schema.ts';
import { InputError } from './input-error.ts';
import type { Question } from './question.ts';

/** A form for the user. Spec: client/elicitation#form-mode-elicitation-requests (2026-07-28). */
export interface FormElicitation<S extends ValueSchema> {
  /** What the user reads: who asks for what, and why. */
  readonly message: string;
  /**
   * A flat object of strings, numbers, integers, booleans, choices and lists of choices, in zod, arktype, valibot or
   * JSON Schema. Passwords, keys and payment data are refused: ask for them with `url`.
   */
  readonly schema: S;
}

/**
 * A page that the user opens out of the client's sight. Spec: client/elicitation#url-mode-elicitation-requests
 * (2026-07-28).
 */
export interface UrlElicitation {
  /** What the user reads: who asks for what, and why. */
  readonly message: string;
  /**
   * Absolute and without credentials; `https:` but on this machine. It must not hold anything of the user, or open
   * without a login.
   */
  readonly url: string;
}

/** What the user did with a form: `content` has passed the schema, defaults filled in. */
export type FormAnswer<T> =
  { readonly action: 'accept'; readonly content: T } | { readonly action: 'decline' | 'cancel' };

/**
 * What the user did with a page. `accept` says that the user agreed to open it and nothing of what happened there: your
 * own record of the page says whether it was completed.
 */
export interface UrlAnswer {
  /** What the user chose: to open the page, not to, or neither. */
  readonly action: 'accept' | 'decline' | 'cancel';
}

interface CompiledForm {
  readonly requestedSchema: FormSchema;
  readonly check: CompiledValueSchema['check'];
}

const compiled = new WeakMap<object, CompiledForm>();

/**
 * Answers the question that shows the user a form.
 *
 * @throws InputError `question` when the message is empty or the schema is no form.
 * @throws TypeError when a member is unknown.
 */
export function formQuestion<S extends ValueSchema>(asked: FormElicitation<S>): Question<FormAnswer<Accepted<S>>> {
  assertKnownOptions('formQuestion', asked, { message: true, schema: true });
  assertMessage(asked.message);
  const { requestedSchema, check } = compileForm(asked.schema);
  return {
    request: { method: 'elicitation/create', params: { mode: 'form', message: asked.message, requestedSchema } },
    lacks: ({ elicitation }) => (acceptsForms(elicitation) ? undefined : { elicitation: { form: {} } }),
    read: (answer) => readForm(answer as ElicitResult, check),
  };
}

/**
 * Answers the question that has the user open a page.
 *
 * @throws InputError `question` when the message is empty or the URL may not be sent.
 * @throws TypeError when a member is unknown.
 */
export function urlQuestion(asked: UrlElicitation): Question<UrlAnswer> {
  assertKnownOptions('urlQuestion', asked, { message: true, url: true });
  assertMessage(asked.message);
  assertUrl(asked.url);
  return {
    request: { method: 'elicitation/create', params: { mode: 'url', message: asked.message, url: asked.url } },
    lacks: ({ elicitation }) => (elicitation?.url === undefined ? { elicitation: { url: {} } } : undefined),
    read: (answer) => ({ value: { action: (answer as ElicitResult).action } }),
  };
}

/** A client that declares no mode takes forms. Spec: client/elicitation#capabilities (2026-07-28). */
function acceptsForms(elicitation: ClientCapabilities['elicitation']): boolean {
  return elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined);
}

async function readForm(
  answer: ElicitResult,
  check: CompiledForm['check'],
): Promise<{ value: unknown } | { problem: string }> {
  if (answer.action !== 'accept') return { value: { action: answer.action } };
  const checked = await check({ ...answer.content } satisfies JsonObject);
  return 'problem' in checked ? { problem: checked.problem } : { value: { action: 'accept', content: checked.value } };
}

function compileForm(schema: ValueSchema): CompiledForm {
  const known = compiled.get(schema);
  if (known !== undefined) return known;
  let form: CompiledForm;
  try {
    const { jsonSchema, check } = compileValueSchema(schema, 'in');
    form = { requestedSchema: toFormSchema(jsonSchema), check };
  } catch (error) {
    if (error instanceof InputError) throw error;
    throw new InputError('question', `the schema of the form cannot be sent: ${String(error)}`, { cause: error });
  }
  compiled.set(schema, form);
  return form;
}

function assertMessage(message: unknown): void {
  if (typeof message !== 'string' || message === '')
    throw new InputError('question', 'the message of an elicitation must be a text that says what is asked, and why');
}

function assertUrl(url: string): void {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed === undefined) throw new InputError('question', 'the URL of an elicitation must be absolute');
  if (!isSecureUrl(parsed))
    throw new InputError('question', `the URL of an elicitation must be https:, not ${parsed.protocol}`);
  if (parsed.username !== '' || parsed.password !== '')
    throw new InputError('question', 'the URL of an elicitation must hold no credentials');
}

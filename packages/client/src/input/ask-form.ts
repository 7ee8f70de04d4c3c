import { type ElicitFormParams, isJsonObject } from '@switchyard/protocol';
import { quoted } from '../peer/excerpt.ts';
import type { FormContent } from './form-content.ts';
import type { FormAsk } from './ask.ts';
import { displayText } from './display-text.ts';
import { defaultsOf, type FormField, readFormFields } from './form-fields.ts';
import { createFormRules, type FormRules } from './form-rules.ts';
import { frozenCopy } from './frozen-copy.ts';
import type { Outcome } from './outcome.ts';
import { badQuestion, misshapen, noHandler, type Question, type QuestionSource } from './question.ts';
import { findSensitiveFields } from './sensitive-fields.ts';
import { whyUnmeetable } from './unmeetable-form.ts';

const MAX_MESSAGE_LENGTH = 4000;

/**
 * Prepares a form for the user. One that nobody could fill in is refused; one that seems to ask for a secret is declined
 * and never shown, unless the handlers allow such. A default that breaks the rules of its field is none.
 *
 * Spec: client/elicitation (2026-07-28).
 */
export function askForm(source: QuestionSource): Question<FormAsk> | Outcome {
  const { context, handlers, base } = source;
  const { elicitForm } = handlers;
  if (elicitForm === undefined) return noHandler(source, 'elicitForm', handlers.elicitUrl !== undefined);
  const misfit = misshapen(source);
  if (misfit !== undefined) return misfit;
  const { message, requestedSchema } = frozenCopy(source.params) as object as ElicitFormParams;
  const reading = readFormFields(requestedSchema);
  if ('problem' in reading) return badQuestion(source, `the form cannot be shown: ${reading.problem}`);
  let rules: FormRules;
  try {
    rules = createFormRules(requestedSchema);
  } catch (error) {
    return badQuestion(source, `the schema of the form cannot be used: ${String(error)}`);
  }
  const unmeetable = whyUnmeetable(requestedSchema, reading.fields);
  if (unmeetable !== undefined) return badQuestion(source, `nobody can fill in the form: ${unmeetable}`);
  const fields = reading.fields.map((field) => withFittingDefault(field, rules));
  const shownMessage = displayText(message, MAX_MESSAGE_LENGTH);
  const sensitive = findSensitiveFields(shownMessage, fields, requestedSchema);
  if (sensitive.length > 0 && handlers.allowsSensitiveForms !== true) {
    context.warn(
      'input-declined',
      `asks in a form for what looks secret: ${sensitive.slice(0, 10).map(quoted).join(', ')}. It was declined without being shown, ` +
        'as such belongs on a page that the server opens by a URL. Set input.allowsSensitiveForms where that is a mistake.',
    );
    return { answer: { action: 'decline' } };
  }
  const prefill = (values: FormContent = {}): FormContent => ({ ...defaultsOf(fields), ...values });
  const ask: FormAsk = {
    ...base,
    kind: 'form',
    message: shownMessage,
    fields,
    sensitive,
    requestedSchema,
    prefill,
  };
  return {
    ask,
    handler: 'elicitForm',
    call: (shown) => elicitForm.call(handlers, shown),
    tellsDeclined: true,
    check(answer) {
      if (!isJsonObject(answer) || answer['action'] !== 'accept') {
        return { problem: 'must have an action: accept, decline or cancel' };
      }
      const given = answer['content'] ?? prefill();
      if (!isJsonObject(given)) return { problem: 'must have its content as an object' };
      // A field that was left empty is absent on the wire.
      const content = Object.fromEntries(
        Object.entries(given).filter(([, value]) => value !== undefined && value !== null),
      );
      const stranger = Object.keys(content).find((name) => !fields.some((field) => field.name === name));
      if (stranger !== undefined)
        return { problem: `must not have the field ${quoted(stranger)}, which the form has not` };
      const broken = rules.whyBroken(content);
      if (broken !== undefined) return { problem: `does not fit the form. ${broken}` };
      return { bare: { action: 'accept', content }, shown: { action: 'accept', content: content as FormContent } };
    },
  };
}

function withFittingDefault(field: FormField, rules: FormRules): FormField {
  const isFit = field.default === undefined || rules.fitsAsDefault(field.name, field.default);
  return isFit ? field : { ...field, default: undefined };
}

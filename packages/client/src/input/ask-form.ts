import { type ElicitFormParams, isJsonObject, roundIntegers } from '@switchyard/protocol';
import { createSchemaCompiler, type CompiledSchema } from '@switchyard/protocol/schema';
import { quoted } from '../peer/excerpt.ts';
import type { FormContent } from './form-content.ts';
import type { FormAsk } from './ask.ts';
import { displayText } from './display-text.ts';
import { defaultsOf, readFormFields } from './form-fields.ts';
import { frozenCopy } from './frozen-copy.ts';
import type { Outcome } from './outcome.ts';
import { badQuestion, misshapen, noHandler, type Question, type QuestionSource } from './question.ts';
import { findSensitiveFields } from './sensitive-fields.ts';

const MAX_MESSAGE_LENGTH = 4000;
const compiler = createSchemaCompiler();

/**
 * Prepares a form for the user. One that seems to ask for a secret is declined and never shown, unless the handlers allow
 * such.
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
  let schema: CompiledSchema;
  try {
    schema = compiler.compile(roundIntegers(requestedSchema));
    schema.prepare();
  } catch (error) {
    return badQuestion(source, `the schema of the form cannot be used: ${String(error)}`);
  }
  const { fields } = reading;
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
      const content = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
      const stranger = Object.keys(content).find((name) => !fields.some((field) => field.name === name));
      if (stranger !== undefined)
        return { problem: `must not have the field ${quoted(stranger)}, which the form has not` };
      const problem = schema.validate(content);
      if (problem !== undefined) return { problem: `does not fit the form. ${problem.message.replace(/\.$/, '')}` };
      return { bare: { action: 'accept', content }, shown: { action: 'accept', content: content as FormContent } };
    },
  };
}

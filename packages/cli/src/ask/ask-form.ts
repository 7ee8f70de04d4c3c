import type { Declined, FormAccepted, FormAsk, FormContent, FormField } from '@switchyard/client';
import { alignColumns } from '../present/columns.ts';
import { cleanLine } from '../terminal.ts';
import { choose } from './choose.ts';
import type { Dialog } from './dialog.ts';
import {
  allowedLine,
  fieldQuestion,
  type FieldValue,
  optionLines,
  readFieldText,
  showValue,
  titleOf,
} from './field-text.ts';
import { createFormChecks, type FormChecks } from './form-checks.ts';

/** What is typed for a field that shall not be there, or for no choice at all. */
const NOTHING = '-';

const choices = {
  a: 'accept: send it',
  c: 'change a field',
  d: 'decline: say no',
  x: 'cancel: leave it unanswered',
};

/** A form while it is filled in. */
interface Draft {
  readonly values: Map<string, FieldValue>;
  readonly checks: FormChecks;
}

/**
 * Has a person fill in a form, field by field, and look at all of it before it is sent; he may change every field,
 * decline, and cancel. Each value is checked as it is given, and the whole before it is answered.
 *
 * Spec: client/elicitation#user-interaction-model (2026-07-28).
 */
export async function askForm(dialog: Dialog, ask: FormAsk): Promise<FormAccepted | Declined> {
  const { fields } = ask;
  const draft: Draft = {
    values: new Map(Object.entries(ask.prefill())),
    checks: createFormChecks(ask.requestedSchema),
  };
  if (fields.length > 0)
    dialog.tell('Enter takes what stands in brackets, - leaves an optional field out, Ctrl-C cancels.');
  for (const field of fields) {
    const isNext = field !== fields[0];
    if (!(await fillIn(dialog, ask, { field, isNext }, draft))) return { action: 'cancel' };
  }
  return review(dialog, ask, draft);
}

/** Answers `false` where the person gives the form up. */
async function fillIn(
  dialog: Dialog,
  ask: FormAsk,
  { field, isNext }: { readonly field: FormField; readonly isNext: boolean },
  { values, checks }: Draft,
): Promise<boolean> {
  const preset = values.get(field.name);
  if (field.description !== undefined) dialog.quote(field.description);
  for (const line of optionLines(field)) dialog.tell(line);
  const allowed = allowedLine(field, ask.requestedSchema);
  if (allowed !== undefined) dialog.tell(allowed);
  const answer = await dialog.line(
    {
      message: fieldQuestion(field, preset),
      isNext,
      check(line) {
        const reading = readLine(field, preset, line);
        if ('problem' in reading) return reading.problem;
        return reading.value === undefined ? undefined : checks.field(field.name, reading.value);
      },
    },
    ask.signal,
  );
  if (answer === undefined) return false;
  const reading = readLine(field, preset, answer);
  if ('problem' in reading || reading.value === undefined) values.delete(field.name);
  else values.set(field.name, reading.value);
  return true;
}

function readLine(
  field: FormField,
  preset: FieldValue | undefined,
  line: string,
): { readonly value: FieldValue | undefined } | { readonly problem: string } {
  if (line === '') return preset === undefined && field.isRequired ? { problem: 'It is required.' } : { value: preset };
  if (line.trim() !== NOTHING) return readFieldText(field, line);
  if (!field.isRequired) return { value: undefined };
  return field.type === 'choices' ? { value: [] } : readFieldText(field, line);
}

async function review(dialog: Dialog, ask: FormAsk, draft: Draft): Promise<FormAccepted | Declined> {
  const { fields, signal } = ask;
  for (;;) {
    dialog.tell(fields.length === 0 ? 'There is nothing to fill in.' : showDraft(fields, draft).join('\n'));
    const message = `Send it to ${cleanLine(ask.server)}?`;
    const { c: _change, ...others } = choices;
    const letter =
      fields.length === 0
        ? await choose(dialog, { message, letters: others }, signal)
        : await choose(dialog, { message, letters: choices }, signal);
    if (letter === 'd') return { action: 'decline' };
    if (letter === 'x' || letter === undefined) return { action: 'cancel' };
    if (letter === 'a') {
      const content: FormContent = Object.fromEntries(draft.values);
      const problem = draft.checks.form(content);
      if (problem === undefined) return { action: 'accept', content };
      dialog.warn(`It does not fit the form. ${problem} Change a field, decline or cancel.`);
    } else {
      const field = await whichField(dialog, fields, signal);
      // Whoever gives up a change is back where he was.
      if (field !== undefined) await fillIn(dialog, ask, { field, isNext: true }, draft);
    }
  }
}

async function whichField(
  dialog: Dialog,
  fields: readonly FormField[],
  signal: AbortSignal,
): Promise<FormField | undefined> {
  const [first] = fields;
  if (fields.length === 1) return first;
  const line = await dialog.line(
    {
      message: `Which field? (1 to ${fields.length})`,
      isNext: true,
      check: (text) => (find(text) === undefined ? `Write a number from 1 to ${fields.length}.` : undefined),
    },
    signal,
  );
  return line === undefined ? undefined : find(line);

  function find(text: string): FormField | undefined {
    return /^\d+$/.test(text.trim()) ? fields[Number(text) - 1] : undefined;
  }
}

function showDraft(fields: readonly FormField[], { values }: Draft): readonly string[] {
  return alignColumns(
    fields.map((field, index) => {
      const value = values.get(field.name);
      return [`${index + 1}`, titleOf(field), value === undefined ? '(left out)' : showValue(field, value)];
    }),
    '  ',
  );
}

import type { FormContent, FormField } from '@switchyard/client';
import { isJsonObject, type JsonObject, stringifyJson } from '@switchyard/protocol';
import { didYouMean } from '../arguments/did-you-mean.ts';
import { cleanLine } from '../terminal.ts';

/** The value of one field. */
export type FieldValue = FormContent[string];

const MAX_TITLE_CHARS = 200;
/** A prompt is drawn anew with each key, so it must fit on the screen; all of it is seen before it is sent. */
const MAX_PRESET_CHARS = 100;
const MAX_SHOWN_OPTIONS = 50;
const NUMBER = /^[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[-+]?\d+)?$/i;
const INTEGER = /^[-+]?\d{1,400}$/;
const YES = /^(?:y|yes|true)$/i;
const NO = /^(?:n|no|false)$/i;

/** Answers the title of a field as one clean line. */
export function titleOf({ title }: FormField): string {
  return cleanLine(title, MAX_TITLE_CHARS);
}

/** Answers the question for a field as a clean line: its title, whether it is required, its type, what Enter takes. */
export function fieldQuestion(field: FormField, preset: FieldValue | undefined): string {
  const about = [field.isRequired ? 'required' : 'optional', kindOf(field)].join(', ');
  return `${titleOf(field)} (${about})${preset === undefined ? '' : ` [${showValue(field, preset, MAX_PRESET_CHARS)}]`}`;
}

/** Answers the choices of a field, numbered, as clean lines; none where it has no choices. The first fifty of them. */
export function optionLines({ options = [] }: FormField): readonly string[] {
  const width = String(Math.min(options.length, MAX_SHOWN_OPTIONS)).length;
  const shown = options.slice(0, MAX_SHOWN_OPTIONS).map(({ value, title }, index) => {
    const sent = title === value ? '' : ` (${cleanLine(value, MAX_TITLE_CHARS)})`;
    return `  ${String(index + 1).padStart(width)}  ${cleanLine(title, MAX_TITLE_CHARS)}${sent}`;
  });
  const more = options.length - shown.length;
  return more === 0 ? shown : [...shown, `  … and ${more} more, which can be written out`];
}

/**
 * Answers the values that a form allows for a field without choices, such as a number, as a clean line; `undefined`
 * where it lists none. The first fifty of them.
 */
export function allowedLine({ name, options }: FormField, { properties }: JsonObject): string | undefined {
  const property = isJsonObject(properties) ? properties[name] : undefined;
  if (options !== undefined || !isJsonObject(property) || !Array.isArray(property['enum'])) return undefined;
  const values: readonly unknown[] = property['enum'];
  const shown = values
    .slice(0, MAX_SHOWN_OPTIONS)
    .map((value) => cleanLine(typeof value === 'string' ? value : stringifyJson(value), MAX_TITLE_CHARS));
  const more = values.length - shown.length;
  return `  One of ${shown.join(', ')}${more === 0 ? '' : `, … and ${more} more`}`;
}

/** Answers a value as one clean line. */
export function showValue({ options = [] }: FormField, value: FieldValue, maxChars?: number): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  const texts = typeof value === 'object' ? value : [String(value)];
  const titles = texts.map((text) => options.find((option) => option.value === text)?.title ?? text);
  return cleanLine(titles.length === 0 ? 'none' : titles.join(', '), maxChars);
}

type Reading<V extends FieldValue = FieldValue> = { readonly value: V } | { readonly problem: string };

const readers: { readonly [T in FormField['type']]: (field: FormField, text: string) => Reading } = {
  string: (_field, text) => ({ value: text }),
  number: (_field, text) =>
    NUMBER.test(text) && Number.isFinite(Number(text))
      ? { value: Number(text) }
      : { problem: 'Write a number, such as 3.5.' },
  integer: (_field, text) =>
    INTEGER.test(text) ? { value: toInteger(text) } : { problem: 'Write a whole number, such as 3.' },
  boolean: (_field, text) =>
    YES.test(text) || NO.test(text) ? { value: YES.test(text) } : { problem: 'Write yes or no.' },
  choice: readChoice,
  choices: readChoices,
};

/** What a double cannot hold keeps its digits. */
function toInteger(text: string): number | bigint {
  const value = Number(text);
  return Number.isSafeInteger(value) ? value : BigInt(text.replace(/^\+/, ''));
}

/** Reads what was typed for a field, which is not empty; or answers as a clean sentence what is expected. */
export function readFieldText(field: FormField, text: string): Reading {
  return readers[field.type](field, field.type === 'string' ? text : text.trim());
}

function readChoices(field: FormField, text: string): Reading {
  const values: string[] = [];
  for (const word of text.split(',').map((part) => part.trim())) {
    const reading = readChoice(field, word);
    if ('problem' in reading) return reading;
    if (!values.includes(reading.value)) values.push(reading.value);
  }
  return { value: values };
}

/** As it is written, else by the number that it is shown with: a choice may be called by the number of another. */
function readChoice({ options = [] }: FormField, word: string): Reading<string> {
  const numbered = /^\d+$/.test(word) ? options[Number(word) - 1] : undefined;
  const same = (text: string): boolean => text.toLowerCase() === word.toLowerCase();
  const found =
    options.find(({ value }) => value === word) ??
    options.find(({ title }) => title === word) ??
    numbered ??
    options.find(({ value, title }) => same(value) || same(title));
  if (found !== undefined) return { value: found.value };
  const near = didYouMean(word, options.map(({ value }) => value).slice(0, MAX_SHOWN_OPTIONS));
  return { problem: `Write a number from 1 to ${options.length}, or a choice.${cleanLine(near)}` };
}

function kindOf({ type, format, options = [] }: FormField): string {
  if (type === 'choice') return `one of 1 to ${options.length}`;
  if (type === 'choices') return `any of 1 to ${options.length}, with commas`;
  if (type === 'string') return format === undefined ? 'text' : `text, ${cleanLine(format, MAX_TITLE_CHARS)}`;
  return { number: 'number', integer: 'whole number', boolean: 'yes or no' }[type];
}

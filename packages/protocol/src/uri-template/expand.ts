import { isWellFormed } from '../well-formed.ts';
import {
  type ExpressionPart,
  type OperatorRule,
  operatorRules,
  type TemplatePart,
  UriTemplateError,
  type Varspec,
} from './parts.ts';

/** One text of a template's value; numbers and booleans are written as JavaScript writes them. */
export type TemplateScalar = string | number | boolean;

type Absent = null | undefined;

/**
 * The value of a template's variable: one text, a list or a map. An absent value, an empty list and an empty map expand
 * to nothing; absent members of lists and maps are left out.
 */
export type TemplateValue =
  TemplateScalar | Absent | readonly (TemplateScalar | Absent)[] | { readonly [name: string]: TemplateScalar | Absent };

/** The values of a template's variables by name. Only own members are read. */
export interface TemplateValues {
  readonly [name: string]: TemplateValue;
}

const NOT_UNRESERVED = /[^A-Za-z0-9\-._~]/gu;
/** What reserved expansion and literals treat as one unit: an escape, or a character that has to become one. */
const ESCAPE_OR_FOREIGN = /%[0-9A-Fa-f]{2}|[^A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=]/gu;
/** One character of a value that may hold escapes: those of one UTF-8 sequence count as one. */
const CHARACTER =
  /%[cd][0-9a-f]%[89ab][0-9a-f]|%e[0-9a-f](?:%[89ab][0-9a-f]){2}|%f[0-7](?:%[89ab][0-9a-f]){3}|%[0-9a-f]{2}|./gisu;

/**
 * Expands a parsed template. Throws `UriTemplateError` for a value that has no expansion: a prefix of a list or map, a
 * nested value, a number that is not finite, an unpaired surrogate.
 *
 * Spec: RFC 6570 section 3
 */
export function expandTemplate(parts: readonly TemplatePart[], values: TemplateValues): string {
  return parts
    .map((part) => (part.kind === 'literal' ? keepReserved(part.text) : expandExpression(part, values)))
    .join('');
}

function expandExpression(expression: ExpressionPart, values: TemplateValues): string {
  const rule = operatorRules[expression.operator];
  const expanded: string[] = [];
  for (const varspec of expression.varspecs) {
    const value = Object.hasOwn(values, varspec.name) ? values[varspec.name] : undefined;
    if (value === undefined || value === null) continue;
    const text =
      typeof value === 'object'
        ? expandComposite(readMembers(value, expression), varspec, rule, expression)
        : expandText(readScalar(value, expression), varspec, rule);
    if (text !== undefined) expanded.push(text);
  }
  return expanded.length === 0 ? '' : rule.first + expanded.join(rule.separator);
}

function expandText(text: string, { name, maxLength }: Varspec, rule: OperatorRule): string {
  const used = maxLength === undefined ? text : takePrefix(text, maxLength, rule);
  return rule.named ? writePair(name, encode(used, rule), rule) : encode(used, rule);
}

/** A list's members have no name, a map's have. */
type Member = readonly [name: string | undefined, text: string];

function expandComposite(
  members: readonly Member[],
  { name, maxLength, explode }: Varspec,
  rule: OperatorRule,
  { position }: ExpressionPart,
): string | undefined {
  if (maxLength !== undefined) {
    throw new UriTemplateError(`The variable "${name}" has a prefix and its value is a list or a map`, position);
  }
  if (members.length === 0) return undefined;
  if (explode) {
    return members.map(([key, text]) => writeMember(key, text, name, rule)).join(rule.separator);
  }
  const joined = members
    .flatMap(([key, text]) => (key === undefined ? [encode(text, rule)] : [encode(key, rule), encode(text, rule)]))
    .join(',');
  return rule.named ? writePair(name, joined, rule) : joined;
}

function writeMember(key: string | undefined, text: string, name: string, rule: OperatorRule): string {
  const encoded = encode(text, rule);
  if (rule.named) return writePair(key === undefined ? name : encode(key, rule), encoded, rule);
  return key === undefined ? encoded : `${encode(key, rule)}=${encoded}`;
}

function writePair(name: string, encoded: string, rule: OperatorRule): string {
  return encoded === '' ? name + rule.ifEmpty : `${name}=${encoded}`;
}

function readMembers(value: object, expression: ExpressionPart): Member[] {
  const members: Member[] = [];
  const isList = Array.isArray(value);
  for (const [key, member] of Object.entries(value) as [string, unknown][]) {
    if (member === undefined || member === null) continue;
    members.push([isList ? undefined : checkText(key, expression), readScalar(member, expression)]);
  }
  return members;
}

function readScalar(value: unknown, expression: ExpressionPart): string {
  if (typeof value === 'string') return checkText(value, expression);
  if (typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value))) return String(value);
  throw new UriTemplateError(
    'A value is a text, a finite number, a boolean, a list or a map of these',
    expression.position,
  );
}

function checkText(text: string, { position }: ExpressionPart): string {
  if (!isWellFormed(text)) throw new UriTemplateError('A value holds an unpaired surrogate', position);
  return text;
}

function takePrefix(text: string, maxLength: number, rule: OperatorRule): string {
  const characters = rule.keepsReserved ? (text.match(CHARACTER) ?? []) : Array.from(text);
  return characters.slice(0, maxLength).join('');
}

function encode(text: string, rule: OperatorRule): string {
  return rule.keepsReserved ? keepReserved(text) : text.replaceAll(NOT_UNRESERVED, escape);
}

function keepReserved(text: string): string {
  return text.replaceAll(ESCAPE_OR_FOREIGN, (unit) => (unit.length === 3 ? unit : escape(unit)));
}

function escape(character: string): string {
  // encodeURIComponent leaves these five as they are.
  return "!'()*".includes(character)
    ? `%${character.charCodeAt(0).toString(16).toUpperCase()}`
    : encodeURIComponent(character);
}

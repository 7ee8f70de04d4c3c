import { isWellFormed } from '../well-formed.ts';

const MAX_TEMPLATE_LENGTH = 8192;
const MAX_EXPRESSIONS = 64;
const MAX_PREFIX_DIGITS = 4;

const ESCAPE = /%(?![0-9A-Fa-f]{2})/;
const CONTROL = /\p{Cc}/u;
const NAME = /^(?:[A-Za-z0-9_]|%[0-9A-Fa-f]{2})+(?:\.(?:[A-Za-z0-9_]|%[0-9A-Fa-f]{2})+)*$/;
const PREFIX = /^[1-9][0-9]*$/;

/** The character that an expression begins with; empty for simple expansion. */
export type Operator = '' | '+' | '#' | '.' | '/' | ';' | '?' | '&';

/** How an operator writes its variables. Spec: RFC 6570 appendix A. */
export interface OperatorRule {
  /** Stands before the first variable that has a value. */
  readonly first: string;
  readonly separator: string;
  /** Whether each value has its name before it, and then what stands in place of `=` and an empty value. */
  readonly named: boolean;
  readonly ifEmpty: string;
  /** Whether reserved characters and escapes of a value stay as they are. */
  readonly keepsReserved: boolean;
}

/** The rules of all operators. */
export const operatorRules: Readonly<Record<Operator, OperatorRule>> = {
  '': { first: '', separator: ',', named: false, ifEmpty: '', keepsReserved: false },
  '+': { first: '', separator: ',', named: false, ifEmpty: '', keepsReserved: true },
  '#': { first: '#', separator: ',', named: false, ifEmpty: '', keepsReserved: true },
  '.': { first: '.', separator: '.', named: false, ifEmpty: '', keepsReserved: false },
  '/': { first: '/', separator: '/', named: false, ifEmpty: '', keepsReserved: false },
  ';': { first: ';', separator: ';', named: true, ifEmpty: '', keepsReserved: false },
  '?': { first: '?', separator: '&', named: true, ifEmpty: '=', keepsReserved: false },
  '&': { first: '&', separator: '&', named: true, ifEmpty: '=', keepsReserved: false },
};

/** One variable of an expression with its modifier. */
export interface Varspec {
  readonly name: string;
  /** The prefix modifier: how many characters of the value are used. `undefined` for all of them. */
  readonly maxLength: number | undefined;
  readonly explode: boolean;
}

/** Text that stands in every expansion. */
export interface LiteralPart {
  readonly kind: 'literal';
  readonly text: string;
}

/** An expression between braces. `position` is the index of its opening brace in the source. */
export interface ExpressionPart {
  readonly kind: 'expression';
  readonly operator: Operator;
  readonly varspecs: readonly Varspec[];
  readonly position: number;
}

/** A piece of a parsed template. */
export type TemplatePart = LiteralPart | ExpressionPart;

/**
 * A template that breaks the grammar, or a value that its template cannot expand. Local, never sent.
 *
 * `position` is an index in the template's source, in UTF-16 units.
 */
export class UriTemplateError extends Error {
  override readonly name = 'UriTemplateError';
  readonly position: number;

  constructor(message: string, position: number) {
    super(`${message} (at position ${position} of the URI template)`);
    this.position = position;
  }
}

/**
 * Parses a template into its parts, in order. Throws `UriTemplateError`.
 *
 * Literals may hold characters that the RFC bars and expansion escapes, such as spaces; not braces, control characters,
 * unpaired surrogates, or a `%` without two hexadecimal digits. Limits: 8,192 characters, 64 expressions.
 *
 * Spec: RFC 6570 section 2
 */
export function parseTemplateParts(source: string): TemplatePart[] {
  if (source.length > MAX_TEMPLATE_LENGTH) {
    throw new UriTemplateError(`The template is longer than ${MAX_TEMPLATE_LENGTH} characters`, MAX_TEMPLATE_LENGTH);
  }
  const parts: TemplatePart[] = [];
  let expressions = 0;
  let start = 0;
  while (start < source.length) {
    const open = indexOrEnd(source, '{', start);
    if (open > start) parts.push(parseLiteral(source.slice(start, open), start));
    if (open === source.length) break;
    const close = indexOrEnd(source, '}', open);
    if (close === source.length) throw new UriTemplateError('An expression is not closed by "}"', open);
    expressions += 1;
    if (expressions > MAX_EXPRESSIONS) {
      throw new UriTemplateError(`The template has more than ${MAX_EXPRESSIONS} expressions`, open);
    }
    parts.push(parseExpression(source.slice(open + 1, close), open));
    start = close + 1;
  }
  return parts;
}

function indexOrEnd(source: string, character: string, from: number): number {
  const index = source.indexOf(character, from);
  return index === -1 ? source.length : index;
}

function parseLiteral(text: string, position: number): LiteralPart {
  const closing = text.indexOf('}');
  if (closing !== -1) throw new UriTemplateError('A "}" closes no expression', position + closing);
  const escape = text.search(ESCAPE);
  if (escape !== -1) throw new UriTemplateError('A "%" needs two hexadecimal digits after it', position + escape);
  const control = text.search(CONTROL);
  if (control !== -1) throw new UriTemplateError('A control character stands in the text', position + control);
  if (!isWellFormed(text)) throw new UriTemplateError('The text holds an unpaired surrogate', position);
  return { kind: 'literal', text };
}

function parseExpression(body: string, position: number): ExpressionPart {
  const operator = readOperator(body, position);
  const varspecs: Varspec[] = [];
  let at = position + 1 + operator.length;
  for (const spec of body.slice(operator.length).split(',')) {
    varspecs.push(parseVarspec(spec, at));
    at += spec.length + 1;
  }
  return { kind: 'expression', operator, varspecs, position };
}

function readOperator(body: string, position: number): Operator {
  const first = body.slice(0, 1);
  if (Object.hasOwn(operatorRules, first)) return first as Operator;
  if ('=,!@|'.includes(first)) {
    throw new UriTemplateError(`The operator "${first}" is reserved for extensions`, position + 1);
  }
  return '';
}

function parseVarspec(spec: string, position: number): Varspec {
  const explode = spec.endsWith('*');
  const [name = '', prefix, ...rest] = (explode ? spec.slice(0, -1) : spec).split(':');
  if (!NAME.test(name)) {
    throw new UriTemplateError(
      'A variable name holds letters, digits, "_", escapes and inner dots, and is not empty',
      position,
    );
  }
  if (prefix === undefined) return { name, maxLength: undefined, explode };
  if (explode || rest.length > 0 || !PREFIX.test(prefix) || prefix.length > MAX_PREFIX_DIGITS) {
    throw new UriTemplateError(
      'A prefix is ":" and a number from 1 to 9999, and does not go with "*"',
      position + name.length,
    );
  }
  return { name, maxLength: Number(prefix), explode: false };
}

import { anything, classEscape, codePoint, lineEnds, nothing, writeRanges } from './character-class.ts';
import { PatternReader } from './pattern-reader.ts';

/** A pattern of a schema, translated for a linear-time engine. */
export interface ParsedPattern {
  /**
   * The same language in RE2 syntax. Groups do not capture and repetition is greedy there, which a search that only
   * answers yes or no cannot tell.
   */
  readonly re2: string;
  /** How many single characters the pattern has when its repetitions are written out. */
  readonly size: number;
}

interface Repeat {
  readonly min: number;
  readonly max: number;
}

const maxLength = 4_096;
/** Largest pattern, in characters with its repetitions written out, that is handed to the engine. */
const maxSize = 2_000;
const maxNesting = 50;
const re2MaxRepeat = 1_000;

/**
 * Translates a pattern of ECMA-262 with the flag `u`. As patterns are found in the wild, an escape before a punctuation
 * mark that needs none and a brace that opens no repetition stand for themselves.
 *
 * Undefined for what RE2 cannot hold (lookaround, back references, inline flags), for what is no pattern at all, and
 * for more than 4,096 characters, 2,000 with its repetitions written out, or 50 groups inside one another.
 */
export function parsePattern(source: string): ParsedPattern | undefined {
  if (source.length > maxLength) return undefined;
  const reader = new PatternReader(source);
  const whole = readAlternatives(reader, 0);
  return whole !== undefined && reader.isAtEnd && whole.size <= maxSize ? whole : undefined;
}

function readAlternatives(reader: PatternReader, nesting: number): ParsedPattern | undefined {
  const alternatives: ParsedPattern[] = [];
  do {
    const sequence = readSequence(reader, nesting);
    if (sequence === undefined) return undefined;
    alternatives.push(sequence);
  } while (reader.take('|'));
  const [only] = alternatives;
  if (only !== undefined && alternatives.length === 1) return only;
  const size = alternatives.reduce((sum, piece) => sum + piece.size, 0);
  return { re2: alternatives.map(({ re2 }) => re2).join('|'), size };
}

function readSequence(reader: PatternReader, nesting: number): ParsedPattern | undefined {
  let re2 = '';
  let size = 0;
  while (!reader.isAtEnd && !reader.sees('|') && !reader.sees(')')) {
    const piece = readAssertion(reader) ?? readRepeated(reader, nesting);
    if (piece === undefined) return undefined;
    re2 += piece.re2;
    size += piece.size;
  }
  return { re2, size };
}

function readAssertion(reader: PatternReader): ParsedPattern | undefined {
  const re2 = reader.takeOneOf({ '^': '\\A', $: '\\z', '\\b': '\\b', '\\B': '\\B' });
  return re2 === undefined ? undefined : { re2, size: 1 };
}

function readRepeated(reader: PatternReader, nesting: number): ParsedPattern | undefined {
  const piece = reader.take('(') ? readGroup(reader, nesting) : readSet(reader);
  const repeat = reader.takeRepeat();
  if (piece === undefined || repeat === undefined) return piece;
  if (repeat.min > repeat.max) return undefined;
  const copies = Number.isFinite(repeat.max) ? repeat.max : repeat.min + 1;
  // Checked before it is written: repetitions within one another are written out a thousandfold each.
  const size = Math.max(1, piece.size) * copies;
  return size > maxSize ? undefined : { re2: writeRepeat(piece.re2, repeat), size };
}

/** RE2 allows a repetition up to 1,000 times; a longer one is several in a row. */
function writeRepeat(re2: string, { min, max }: Repeat): string {
  const parts: string[] = [];
  let least = min;
  let most = max;
  for (; least > re2MaxRepeat; least -= re2MaxRepeat, most -= re2MaxRepeat) parts.push(`${re2}{${re2MaxRepeat}}`);
  if (most === Infinity) return [...parts, `${re2}{${least},}`].join('');
  for (; most > re2MaxRepeat; most -= re2MaxRepeat) {
    parts.push(`${re2}{${least},${re2MaxRepeat}}`);
    least = 0;
  }
  return [...parts, `${re2}{${least},${most}}`].join('');
}

function readGroup(reader: PatternReader, nesting: number): ParsedPattern | undefined {
  if (nesting >= maxNesting) return undefined;
  if (!reader.take('?:') && !reader.takeGroupName() && reader.sees('?')) return undefined;
  const inner = readAlternatives(reader, nesting + 1);
  if (inner === undefined || !reader.take(')')) return undefined;
  return { ...inner, re2: `(?:${inner.re2})` };
}

function readSet(reader: PatternReader): ParsedPattern | undefined {
  const re2 = readSetText(reader);
  return re2 === undefined ? undefined : { re2, size: 1 };
}

function readSetText(reader: PatternReader): string | undefined {
  if (reader.take('[')) return readClass(reader);
  if (reader.take('.')) return `[^${writeRanges(lineEnds)}]`;
  if (reader.sees('*') || reader.sees('+') || reader.sees('?') || reader.takeRepeat() !== undefined) return undefined;
  const item = readItem(reader, false);
  if (typeof item !== 'string') return item === undefined ? undefined : codePoint(item);
  return `[${item}]`;
}

function readClass(reader: PatternReader): string | undefined {
  const isNegated = reader.take('^');
  const items: string[] = [];
  while (!reader.take(']')) {
    const first = readItem(reader, true);
    if (first === undefined) return undefined;
    const isRange = reader.sees('-') && !reader.sees('-]');
    if (typeof first === 'string' || !isRange) {
      items.push(typeof first === 'string' ? first : codePoint(first));
      continue;
    }
    reader.take('-');
    const last = readItem(reader, true);
    if (last === undefined || (typeof last === 'number' && last < first)) return undefined;
    // A dash between a character and a class such as \w is only a dash.
    items.push(typeof last === 'number' ? writeRanges([[first, last]]) : codePoint(first) + codePoint(0x2d) + last);
  }
  if (items.length === 0) return isNegated ? anything : nothing;
  return `[${isNegated ? '^' : ''}${items.join('')}]`;
}

/** Reads one character, as its code point, or one escaped class, as the inside of an RE2 class. */
function readItem(reader: PatternReader, isInClass: boolean): number | string | undefined {
  if (!reader.take('\\')) return reader.takeCodePoint();
  if (isInClass && reader.take('b')) return 0x08;
  const property = reader.takeProperty();
  if (property !== undefined) return property;
  const letter = reader.takeOneOf({ d: 'd', D: 'D', s: 's', S: 'S', w: 'w', W: 'W' });
  const ranges = letter === undefined ? undefined : classEscape(letter);
  return ranges === undefined ? reader.takeEscapedCodePoint() : writeRanges(ranges);
}

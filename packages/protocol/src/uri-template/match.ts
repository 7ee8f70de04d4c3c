import {
  type Characters,
  type CharacterSet,
  createCharacterSet,
  decodeRange,
  isAllowed,
  readText,
  readUri,
} from './characters.ts';
import { type ExpressionPart, type Operator, operatorRules, type TemplatePart, type Varspec } from './parts.ts';
import { type Binding, bindPositions, settleBindings, type TemplateMatch } from './bind.ts';

const QUESTION = 0x3f;
const EQUALS = 0x3d;

const segment = createCharacterSet("!$&'()*+,;=:@");
const segments = createCharacterSet("!$&'()*+,;=:@/");
const query = createCharacterSet("!$&'()*+,;=:@/?");
const anything = createCharacterSet("!$&'()*+,;=:@/?#[]");

/** The characters of an expression's run: those of its values and its separator. */
const characterSets: Readonly<Record<Operator, CharacterSet>> = {
  '': segment,
  '+': anything,
  '#': anything,
  '.': segment,
  '/': segments,
  ';': segment,
  '?': query,
  '&': query,
};

/** Text, with the length of the longest proper border of each of its beginnings (Knuth, Morris, Pratt). */
interface LiteralMatcher {
  readonly kind: 'literal';
  readonly characters: Characters;
  readonly borders: Int32Array;
}

/** An expression whose values stand in the order of its variables. */
interface PositionalMatcher {
  readonly kind: 'positional';
  readonly varspecs: readonly Varspec[];
  readonly set: CharacterSet;
  /** The character before the first value; `undefined` where there is none. */
  readonly first: number | undefined;
  readonly separator: number;
  readonly maxSeparators: number;
  readonly maxLength: number;
}

/** An expression, or neighbours of one kind, whose values stand behind their names in any order. */
interface NamedMatcher {
  readonly kind: 'named';
  readonly varspecs: ReadonlyMap<string, Varspec>;
  readonly set: CharacterSet;
  readonly first: number;
  readonly separator: number;
}

type PartMatcher = LiteralMatcher | PositionalMatcher | NamedMatcher;

/**
 * For each position of the URI where a part and all parts after it can match: where the part ends. -1 elsewhere. The
 * last entry stands for the end of the URI.
 */
type Ends = Int32Array;

/**
 * Compiles a parsed template into a function that finds the values of a URI, or `undefined` where the URI does not
 * match.
 *
 * The parts are matched backwards, each in one pass over the URI, so time and memory grow with parts times characters
 * for every template and every URI. Reading forwards, each part then takes the fewest characters that let the rest
 * match.
 */
export function compileMatcher(parts: readonly TemplatePart[]): (uri: string) => TemplateMatch | undefined {
  const matchers = compileParts(parts);
  if (matchers === undefined) return () => undefined;
  return (uri) => {
    const characters = readUri(uri);
    return characters === undefined ? undefined : matchCharacters(matchers, characters);
  };
}

function matchCharacters(matchers: readonly PartMatcher[], characters: Characters): TemplateMatch | undefined {
  const ends: Ends[] = [];
  let next: Ends = new Int32Array(characters.length + 1).fill(-1);
  next[characters.length] = characters.length;
  for (const matcher of matchers.toReversed()) {
    next = findEnds(matcher, characters, next);
    // Most URIs that do not match fail at the last parts already.
    if (!next.some((end) => end >= 0)) return undefined;
    ends.push(next);
  }
  ends.reverse();
  const bindings: Binding[] = [];
  let start = 0;
  for (const [index, matcher] of matchers.entries()) {
    const end = ends[index]?.[start] ?? -1;
    if (end < 0) return undefined;
    if (matcher.kind === 'positional' && end > start) {
      bindings.push(...bindPositions(matcher, characters, matcher.first === undefined ? start : start + 1, end));
    } else if (matcher.kind === 'named' && end > start) {
      bindings.push(...bindNames(matcher, characters, start, end));
    }
    start = end;
  }
  return start === characters.length ? settleBindings(bindings) : undefined;
}

/** Answers `undefined` where a literal has escapes that are no UTF-8, which no URI can match. */
function compileParts(parts: readonly TemplatePart[]): PartMatcher[] | undefined {
  const matchers: PartMatcher[] = [];
  let before: Operator | undefined;
  for (const part of parts) {
    const operator = part.kind === 'expression' ? part.operator : undefined;
    if (part.kind === 'literal') {
      const characters = readText(part.text);
      if (characters === undefined) return undefined;
      matchers.push({ kind: 'literal', characters, borders: findBorders(characters) });
    } else if (!operatorRules[part.operator].named) {
      matchers.push(compilePositional(part));
    } else {
      const last = matchers.at(-1);
      const joins = before !== undefined && operatorRules[part.operator].first === operatorRules[before].separator;
      const earlier = joins && last?.kind === 'named' ? matchers.pop() : undefined;
      matchers.push(compileNamed(part, earlier?.kind === 'named' ? earlier : undefined));
    }
    before = operator;
  }
  return matchers;
}

function compilePositional({ operator, varspecs }: ExpressionPart): PositionalMatcher {
  const { first, separator } = operatorRules[operator];
  const [only] = varspecs;
  const isLimited = operator === '/' && !varspecs.some(({ explode }) => explode);
  return {
    kind: 'positional',
    varspecs,
    set: characterSets[operator],
    first: first === '' ? undefined : first.charCodeAt(0),
    separator: separator.charCodeAt(0),
    maxSeparators: isLimited ? varspecs.length - 1 : Infinity,
    maxLength: (varspecs.length === 1 ? only?.maxLength : undefined) ?? Infinity,
  };
}

function compileNamed({ operator, varspecs }: ExpressionPart, earlier: NamedMatcher | undefined): NamedMatcher {
  const { first, separator } = operatorRules[operator];
  const byName = new Map(earlier?.varspecs);
  for (const varspec of varspecs) {
    const name = readText(varspec.name);
    if (name !== undefined) byName.set(decodeRange(name, 0, name.length), varspec);
  }
  return {
    kind: 'named',
    varspecs: byName,
    set: characterSets[operator],
    first: earlier?.first ?? first.charCodeAt(0),
    separator: separator.charCodeAt(0),
  };
}

function findEnds(matcher: PartMatcher, characters: Characters, next: Ends): Ends {
  if (matcher.kind === 'literal') return findLiteralEnds(matcher, characters, next);
  if (matcher.kind === 'positional') return findPositionalEnds(matcher, characters, next);
  return findNamedEnds(matcher, characters, next);
}

function findLiteralEnds({ characters: literal, borders }: LiteralMatcher, characters: Characters, next: Ends): Ends {
  const ends: Ends = new Int32Array(characters.length + 1).fill(-1);
  let matched = 0;
  for (let index = 0; index < characters.length; index += 1) {
    const character = characters[index];
    while (matched > 0 && (matched === literal.length || literal[matched] !== character))
      matched = borders[matched - 1] ?? 0;
    if (literal[matched] === character) matched += 1;
    const end = index + 1;
    if (matched === literal.length && (next[end] ?? -1) >= 0) ends[end - matched] = end;
  }
  return ends;
}

function findBorders(literal: Characters): Int32Array {
  const borders = new Int32Array(literal.length);
  let matched = 0;
  for (let index = 1; index < literal.length; index += 1) {
    while (matched > 0 && literal[matched] !== literal[index]) matched = borders[matched - 1] ?? 0;
    if (literal[matched] === literal[index]) matched += 1;
    borders[index] = matched;
  }
  return borders;
}

function findPositionalEnds(matcher: PositionalMatcher, characters: Characters, next: Ends): Ends {
  const { set, first, separator, maxSeparators, maxLength } = matcher;
  const { length } = characters;
  const ends: Ends = new Int32Array(length + 1).fill(-1);
  // Of the positions after `index`: the nearest where the rest matches, and the first that a run cannot pass.
  let nearest = length;
  let runEnd = length;
  let separators = 0;
  let separatorsAfterNearest = 0;
  if ((next[length] ?? -1) < 0) nearest = Infinity;
  else if (first !== undefined) ends[length] = length;
  for (let index = length - 1; index >= 0; index -= 1) {
    const character = characters[index];
    const isOpen = first === undefined ? isAllowed(character, set) : character === first;
    const valueStart = first === undefined ? index : index + 1;
    const between = separators - separatorsAfterNearest;
    if (isOpen && nearest <= runEnd && nearest - valueStart <= maxLength && between <= maxSeparators)
      ends[index] = nearest;
    else if (first !== undefined && (next[index] ?? -1) >= 0) ends[index] = index;
    if (character === separator) separators += 1;
    if (!isAllowed(character, set)) runEnd = index;
    if ((next[index] ?? -1) >= 0) {
      nearest = index;
      separatorsAfterNearest = separators;
    }
  }
  return ends;
}

function findNamedEnds({ varspecs, set, first, separator }: NamedMatcher, characters: Characters, next: Ends): Ends {
  const { length } = characters;
  const ends: Ends = new Int32Array(length + 1).fill(-1);
  // A query begins at the first question mark of a URI; later ones are part of its values.
  const queryStart = first === QUESTION ? characters.indexOf(QUESTION) : -1;
  const nearest = findNearest(next);
  // For each separator: the last end of the well-formed pairs that begin there, and the first where the rest matches.
  const limits = new Int32Array(length + 1).fill(-1);
  const exits = new Int32Array(length + 1).fill(-1);
  const places = new Map<Varspec, number>();
  let pairEnd = length;
  if ((next[length] ?? -1) >= 0) ends[length] = length;
  for (let index = length - 1; index >= 0; index -= 1) {
    const character = characters[index];
    const isSeparator = character === separator;
    if ((next[index] ?? -1) >= 0) ends[index] = index;
    if (isSeparator || index === queryStart) {
      const { name, valueStart } = readName(characters, index + 1, pairEnd);
      const varspec = varspecs.get(name);
      if (varspec !== undefined) {
        const again = varspec.explode ? undefined : places.get(varspec);
        const limit = Math.min(Math.max(limits[pairEnd] ?? -1, pairEnd), again ?? length);
        // A value is empty only where its pair ends, so that what follows the expression cannot take all of it.
        const inPair = nearest[Math.min(valueStart + 1, pairEnd)] ?? -1;
        const exit = inPair >= 0 && inPair <= pairEnd ? inPair : (exits[pairEnd] ?? -1);
        if (character === first && exit >= 0 && exit <= limit) ends[index] = exit;
        if (isSeparator) {
          limits[index] = limit;
          exits[index] = exit;
          places.set(varspec, index);
        }
      }
    }
    if (isSeparator || !isAllowed(character, set)) pairEnd = index;
  }
  return ends;
}

/** For each position: the first from there on where the rest matches, or -1. */
function findNearest(next: Ends): Int32Array {
  const nearest = new Int32Array(next.length).fill(-1);
  let last = -1;
  for (let index = next.length - 1; index >= 0; index -= 1) {
    if ((next[index] ?? -1) >= 0) last = index;
    nearest[index] = last;
  }
  return nearest;
}

function bindNames(
  { varspecs, separator }: NamedMatcher,
  characters: Characters,
  start: number,
  end: number,
): Binding[] {
  const texts = new Map<Varspec, string[]>();
  for (let pairStart = start + 1; pairStart <= end;) {
    const separatorAt = characters.indexOf(separator, pairStart);
    const pairEnd = separatorAt === -1 || separatorAt > end ? end : separatorAt;
    const { name, valueStart } = readName(characters, pairStart, pairEnd);
    const varspec = varspecs.get(name);
    if (varspec !== undefined) {
      const text = decodeRange(characters, valueStart, pairEnd);
      const earlier = texts.get(varspec);
      if (earlier === undefined) texts.set(varspec, [text]);
      else earlier.push(text);
    }
    pairStart = pairEnd + 1;
  }
  return [...texts].map(([varspec, items]) => ({ varspec, value: varspec.explode ? items : (items[0] ?? '') }));
}

/** Reads the name of a pair, up to its first `=`. Without one, the value is empty. */
function readName(characters: Characters, start: number, end: number): { name: string; valueStart: number } {
  const equals = characters.subarray(start, end).indexOf(EQUALS);
  const nameEnd = equals === -1 ? end : start + equals;
  return { name: decodeRange(characters, start, nameEnd), valueStart: equals === -1 ? end : nameEnd + 1 };
}

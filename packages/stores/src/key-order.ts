const FIRST_SURROGATE = 0xd8_00;
const AFTER_SURROGATES = 0xe0_00;
const LAST_CODE_POINT = 0x10_ff_ff;

// UTF-16 puts code points over U+FFFF, which begin with a surrogate, before U+E000 to U+FFFF: here they go after them.
function rankOf(unit: number): number {
  if (unit < FIRST_SURROGATE) return unit;
  return unit < AFTER_SURROGATES ? unit + 0x20_00 : unit - 0x8_00;
}

/** Compares two keys by their Unicode code points, which is also the order of their bytes in UTF-8. */
export function compareKeys(left: string, right: string): number {
  const length = Math.min(left.length, right.length);
  for (let index = 0; index < length; index += 1) {
    const difference = rankOf(left.charCodeAt(index)) - rankOf(right.charCodeAt(index));
    if (difference !== 0) return difference;
  }
  return left.length - right.length;
}

/** The first key that comes after all that begin with `prefix`, or undefined where every later key does. */
function endOfPrefix(prefix: string): string | undefined {
  const points = Array.from(prefix, (character) => character.codePointAt(0) ?? 0);
  while (points.at(-1) === LAST_CODE_POINT) points.pop();
  const last = points.pop();
  if (last === undefined) return undefined;
  const next = last + 1 === FIRST_SURROGATE ? AFTER_SURROGATES : last + 1;
  return String.fromCodePoint(...points, next);
}

/** A run of keys: at least `from`, before `end` where there is one, and not `after`. */
export interface KeyRange {
  readonly from: string;
  readonly end: string | undefined;
  readonly after: string;
}

/** Where the keys are that begin with `prefix` and come after the key `after`. */
export function rangeOfPrefix(prefix: string, after = ''): KeyRange {
  return { from: compareKeys(after, prefix) > 0 ? after : prefix, end: endOfPrefix(prefix), after };
}

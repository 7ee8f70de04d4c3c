/** How deep a message may be nested where nothing else is said: levels of arrays and objects. */
export const MAX_MESSAGE_DEPTH = 512;

/**
 * Answers whether JSON text is nested deeper than `maxDepth` arrays and objects. Text that is not JSON gives an answer
 * that nobody relies on. Most messages have fewer brackets than they may have levels, and are not read.
 */
export function isTextDeeperThan(text: string, maxDepth: number): boolean {
  return text.length > 2 * maxDepth && hasMoreBrackets(text, maxDepth) && depthPasses(text, maxDepth);
}

function hasMoreBrackets(text: string, most: number): boolean {
  let count = 0;
  for (const bracket of ['{', '[']) {
    for (let at = text.indexOf(bracket); at >= 0; at = text.indexOf(bracket, at + 1)) {
      count += 1;
      if (count > most) return true;
    }
  }
  return false;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPENING: ReadonlySet<number> = new Set([0x5b, 0x7b]);
const CLOSING: ReadonlySet<number> = new Set([0x5d, 0x7d]);

function depthPasses(text: string, maxDepth: number): boolean {
  let depth = 0;
  let inString = false;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (inString) {
      if (unit === BACKSLASH) at += 1;
      else if (unit === QUOTE) inString = false;
    } else if (unit === QUOTE) {
      inString = true;
    } else if (OPENING.has(unit)) {
      depth += 1;
      if (depth > maxDepth) return true;
    } else if (CLOSING.has(unit)) {
      depth -= 1;
    }
  }
  return false;
}

/**
 * Answers whether a value nests deeper than `maxDepth` arrays and objects; a cycle does. It recurses no deeper than that,
 * so that with a limit of some hundreds no value overflows the stack, which everything that recurses over the value later
 * relies on.
 */
export function isValueDeeperThan(value: unknown, maxDepth: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (maxDepth === 0) return true;
  if (Array.isArray(value)) {
    for (const item of value) if (isValueDeeperThan(item, maxDepth - 1)) return true;
    return false;
  }
  const object = value as { readonly [name: string]: unknown };
  for (const name in object) if (isValueDeeperThan(object[name], maxDepth - 1)) return true;
  return false;
}

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
 * Answers whether a value nests deeper than `maxDepth` arrays and objects; a cycle does. It does not recurse, so that no
 * value overflows the stack, which everything that recurses over the value later relies on.
 */
export function isValueDeeperThan(value: unknown, maxDepth: number): boolean {
  let level: object[] = isContainer(value) ? [value] : [];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth >= maxDepth) return true;
    const below: object[] = [];
    for (const container of level) {
      for (const member of membersOf(container)) if (isContainer(member)) below.push(member);
    }
    level = below;
  }
  return false;
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function membersOf(container: object): readonly unknown[] {
  return Array.isArray(container) ? container : Object.values(container);
}

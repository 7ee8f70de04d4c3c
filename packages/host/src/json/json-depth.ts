import { isContainer, membersOf } from './json-container.ts';

/** The deepest JSON value that the host takes from a caller or a server: levels of arrays and objects. */
export const MAX_JSON_DEPTH = 256;

/**
 * Answers whether a value nests deeper than `maxDepth` arrays and objects; a cycle does. It does not recurse, so that
 * no value overflows the stack, which everything that recurses over the value later relies on.
 */
export function isDeeperThan(value: unknown, maxDepth: number): boolean {
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

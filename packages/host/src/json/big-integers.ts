import { holdsBigint, isJsonObject, roundIntegers } from '@switchyard/protocol';

/**
 * Checks a value that may hold big integers with a validator that knows numbers only, and lets the validator fill defaults into it. A
 * value with a `bigint` is judged by the numbers that are nearest to its big integers, because a validator holds no rule about numbers
 * against a `bigint`.
 */
export function checkRounded<P>(value: unknown, check: (value: unknown) => P | undefined): P | undefined {
  if (!holdsBigint(value)) return check(value);
  const rounded = roundIntegers(value);
  const problem = check(rounded);
  if (problem === undefined) addMissing(value, rounded);
  return problem;
}

/** Adds to `exact` the members that only `filled`, its copy with defaults, has. */
function addMissing(exact: unknown, filled: unknown): void {
  if (typeof exact !== 'object' || exact === null || typeof filled !== 'object' || filled === null) return;
  for (const [name, value] of Object.entries(filled) as [string, unknown][]) {
    if (Object.hasOwn(exact, name)) addMissing(memberOf(exact, name), value);
    else Object.defineProperty(exact, name, { value, enumerable: true, writable: true, configurable: true });
  }
}

function memberOf(container: object, name: string): unknown {
  if (Array.isArray(container)) return (container as unknown[])[Number(name)];
  return isJsonObject(container) ? container[name] : undefined;
}

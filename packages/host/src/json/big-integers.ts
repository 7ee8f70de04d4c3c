import { holdsBigint, roundIntegers } from '@switchyard/protocol';
import { isContainer } from './json-container.ts';

/**
 * Checks a value that may hold big integers with a validator that knows numbers only, and lets the validator fill
 * defaults into it. A value with a `bigint` is judged by the numbers that are nearest to its big integers, because a
 * validator holds no rule about numbers against a `bigint`.
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
  if (!isContainer(exact) || !isContainer(filled)) return;
  for (const [name, value] of Object.entries(filled) as [string, unknown][]) {
    const own = Object.getOwnPropertyDescriptor(exact, name);
    if (own !== undefined) addMissing(own.value, value);
    else Object.defineProperty(exact, name, { value, enumerable: true, writable: true, configurable: true });
  }
}

import { parseJson, stringifyJson } from '@switchyard/protocol';

/** Answers a copy of a JSON value that nobody can change, at any depth; integers keep their digits. */
export function frozenCopy<T>(value: T): T {
  // The wire form of a value that came from the wire, or goes there, has the type of the value.
  const copy = parseJson(stringifyJson(value), { exactIntegers: true }) as T;
  const open: unknown[] = [copy];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (typeof next !== 'object' || next === null) continue;
    Object.freeze(next);
    for (const member of Object.values(next)) open.push(member ?? 0);
  }
  return copy;
}

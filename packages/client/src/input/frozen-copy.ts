import { parseJson, stringifyJson } from '@switchyard/protocol';

/**
 * Answers a value as it would be on the wire, whatever its `toJSON` and getters would answer the next time; `undefined`
 * for what has no place there. Throws what reading the value throws.
 */
export function wireCopy(value: unknown): unknown {
  let holdsBigint = false;
  const text = JSON.stringify(value, (_key, member: unknown) => {
    if (typeof member === 'bigint') holdsBigint = true;
    return typeof member === 'bigint' ? null : member;
  }) as string | undefined;
  if (holdsBigint) return parseJson(stringifyJson(value), { exactIntegers: true });
  return text === undefined ? undefined : parseJson(text);
}

/** Answers a copy of a JSON value that nobody can change, at any depth; a `bigint` keeps its digits. */
export function frozenCopy<T>(value: T): T {
  // The wire form of a value that came from the wire, or goes there, has the type of the value.
  const copy = wireCopy(value) as T;
  const open: unknown[] = [copy];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (typeof next !== 'object' || next === null) continue;
    Object.freeze(next);
    for (const member of Object.values(next)) open.push(member ?? 0);
  }
  return copy;
}

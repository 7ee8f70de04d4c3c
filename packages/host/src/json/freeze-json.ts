import { isContainer, membersOf } from './json-container.ts';

/** Freezes a JSON value and everything in it, and answers it. */
export function freezeJson<T>(value: T): T {
  const open: unknown[] = [value];
  while (open.length > 0) {
    const next = open.pop();
    Object.freeze(next);
    for (const member of membersOf(next)) if (isContainer(member) && !Object.isFrozen(member)) open.push(member);
  }
  return value;
}

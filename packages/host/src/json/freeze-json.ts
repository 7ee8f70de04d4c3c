/** Freezes a JSON value and everything in it, and answers it. */
export function freezeJson<T>(value: T): T {
  const open: unknown[] = [value];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (!isContainer(next)) continue;
    Object.freeze(next);
    for (const member of Object.values(next) as unknown[])
      if (isContainer(member) && !Object.isFrozen(member)) open.push(member);
  }
  return value;
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

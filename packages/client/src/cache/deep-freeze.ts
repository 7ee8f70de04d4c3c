/** Freezes a JSON value with all that it holds, and answers it. It does not recurse; what is frozen is not entered. */
export function deepFreeze<T>(root: T): T {
  const open: unknown[] = [root];
  while (open.length > 0) {
    const value = open.pop();
    if (typeof value !== 'object' || value === null || Object.isFrozen(value)) continue;
    Object.freeze(value);
    for (const member of Object.values(value)) if (typeof member === 'object') open.push(member);
  }
  return root;
}

/** Answers whether a JSON value is an array or an object, so that it holds others. */
export function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** Answers the items of an array or the values of an object's members; none for any other value. */
export function membersOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  return isContainer(value) ? Object.values(value) : [];
}

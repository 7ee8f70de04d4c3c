/**
 * Answers a text that two JSON values share exactly when they say the same: members in the order of their names, without
 * space, and without those that are `null`, which serialisers leave out as they like. A `bigint` is written digit for
 * digit. It recurses, so the caller bounds the depth.
 */
export function comparableText(value: unknown): string {
  if (typeof value === 'bigint') return value.toString();
  if (Array.isArray(value)) return `[${value.map(comparableText).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const members = Object.entries(value).filter(([, member]) => member !== undefined && member !== null);
  const texts = members.toSorted(byName).map(([name, member]) => `${JSON.stringify(name)}:${comparableText(member)}`);
  return `{${texts.join(',')}}`;
}

function byName([first]: [string, unknown], [second]: [string, unknown]): number {
  return first < second ? -1 : first > second ? 1 : 0;
}

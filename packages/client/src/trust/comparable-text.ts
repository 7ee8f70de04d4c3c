/**
 * Answers a text that two JSON values share exactly when they say the same: members in the order of their names, without
 * space, and without those that are `null`, which serialisers leave out as they like. An integer that a double cannot
 * hold is the same as `bigint` and in the notation of powers: 1e30 is one and thirty zeros. It recurses, so the caller
 * bounds the depth.
 */
export function comparableText(value: unknown): string {
  if (typeof value === 'bigint' || typeof value === 'number') return comparableNumber(value);
  if (Array.isArray(value)) return `[${value.map(comparableText).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const members = Object.entries(value).filter(([, member]) => member !== undefined && member !== null);
  const texts = members.toSorted(byName).map(([name, member]) => `${JSON.stringify(name)}:${comparableText(member)}`);
  return `{${texts.join(',')}}`;
}

function byName([first]: [string, unknown], [second]: [string, unknown]): number {
  return first < second ? -1 : first > second ? 1 : 0;
}

const INTEGER = /^(-?\d+)(?:\.(\d+))?(?:e\+(\d+))?$/;

/** Of large integers the last zeros are counted, since a few characters can stand for hundreds of them. */
function comparableNumber(value: number | bigint): string {
  const text = typeof value === 'bigint' ? value.toString() : JSON.stringify(value);
  if (value <= Number.MAX_SAFE_INTEGER && value >= Number.MIN_SAFE_INTEGER) return text;
  const [, whole, rest = '', power = '0'] = INTEGER.exec(text) ?? [];
  // A number beyond all doubles is written as null.
  if (whole === undefined) return text;
  const digits = `${whole}${rest}`;
  let end = digits.length;
  while (digits[end - 1] === '0') end -= 1;
  return `${digits.slice(0, end)}e${Number(power) - rest.length + digits.length - end}`;
}

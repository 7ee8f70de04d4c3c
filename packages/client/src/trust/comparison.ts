import { comparableText } from './comparable-text.ts';

/** Fewer are counted as fast as they are looked up. */
const MANY_MEMBERS = 32;

/**
 * Creates what tells whether a JSON value says the same as `form`, in the sense of {@link comparableText}. It writes
 * nothing down: it takes time in proportion to the value, and no more for a form that is larger. It recurses, so the
 * caller bounds the depth.
 */
export function createComparison(form: unknown): (value: unknown) => boolean {
  /** A form is looked at by each text of a result, which would count its members anew. */
  const counts = new WeakMap<object, number>();
  return (value) => isSame(value, form);

  function isSame(one: unknown, other: unknown): boolean {
    if (Array.isArray(one)) {
      return Array.isArray(other) && one.length === other.length && one.every((item, at) => isSame(item, other[at]));
    }
    if (!isObject(one)) return one === other || (!isObject(other) && comparableText(one) === comparableText(other));
    if (!isObject(other) || Array.isArray(other)) return false;
    let count = 0;
    for (const name of Object.keys(one)) {
      const member = one[name];
      if (isAbsent(member)) continue;
      if (!Object.hasOwn(other, name) || isAbsent(other[name]) || !isSame(member, other[name])) return false;
      count += 1;
    }
    return count === countOf(other);
  }

  function countOf(value: Readonly<Record<string, unknown>>): number {
    const known = counts.get(value);
    if (known !== undefined) return known;
    const names = Object.keys(value);
    const count = names.filter((name) => !isAbsent(value[name])).length;
    if (names.length >= MANY_MEMBERS) counts.set(value, count);
    return count;
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function isAbsent(member: unknown): boolean {
  return member === undefined || member === null;
}

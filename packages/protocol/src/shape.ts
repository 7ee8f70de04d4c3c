import { clip } from './clip.ts';

/**
 * One structural rule for a value from outside. It answers `undefined` when the value fits, or where it does not. A
 * shape never throws, reads no inherited member that JSON could not carry, and tolerates members it does not know.
 */
export interface Shape<T> {
  (value: unknown): Misfit | undefined;
  /** Never set; carries the type for {@link Shaped}. */
  readonly shaped?: T;
}

/** Where a value breaks its shape: `at` is a path like `.ref.name` or `[2].uri`, `must` completes "… must". */
export interface Misfit {
  readonly at: string;
  readonly must: string;
}

/** The type that a shape describes. */
export type Shaped<S> = S extends Shape<infer T> ? T : never;

/** A JSON object whose members are not known. */
export interface JsonObject {
  readonly [key: string]: unknown;
}

/** The members of an object shape by their names. */
export type Members = { readonly [key: string]: Shape<unknown> };
type Flat<T> = { [K in keyof T]: T[K] };

/** The type of an object shape with `required` and `optional` members. */
export type ObjectOf<R extends Members, O extends Members> = Flat<
  { readonly [K in keyof R]: Shaped<R[K]> } & { readonly [K in keyof O]?: Shaped<O[K]> }
>;

/** Answers whether a value is an object that JSON could have produced: neither `null` nor an array. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Renders a misfit as a sentence about the value called `name`, e.g. `params.ref.name must be a string`. */
export function describeMisfit(name: string, misfit: Misfit): string {
  return `${name}${misfit.at} must ${misfit.must}`;
}

function primitive<T>(must: string, accepts: (value: unknown) => boolean): Shape<T> {
  const misfit: Misfit = { at: '', must };
  return (value) => (accepts(value) ? undefined : misfit);
}

/** A string, the empty one too. */
export const string: Shape<string> = primitive('be a string', (value) => typeof value === 'string');
/** `true` or `false`. */
export const boolean: Shape<boolean> = primitive('be true or false', (value) => typeof value === 'boolean');
/** A finite number, as JSON can hold it. */
export const number: Shape<number> = primitive('be a finite number', (value) => Number.isFinite(value));
/** A number without a fraction, of any size. */
export const integer: Shape<number> = primitive('be an integer', (value) => Number.isInteger(value));
/** Anything at all. */
export const unknown: Shape<unknown> = () => undefined;
/** A JSON object, whatever it holds. */
export const jsonObject: Shape<JsonObject> = primitive('be an object', isJsonObject);

/** A string or an integer: message ids and progress tokens. */
export const stringOrInteger: Shape<string | number> = primitive(
  'be a string or an integer',
  (value) => typeof value === 'string' || Number.isInteger(value),
);

/** One of the given strings. */
export function oneOf<const T extends readonly string[]>(...values: T): Shape<T[number]> {
  return primitive(`be one of ${values.map((value) => `"${value}"`).join(', ')}`, (value) =>
    (values as readonly unknown[]).includes(value),
  );
}

/** An array of items. */
export function array<T>(item: Shape<T>): Shape<readonly T[]> {
  const misfit: Misfit = { at: '', must: 'be an array' };
  return (value) => {
    if (!Array.isArray(value)) return misfit;
    for (let index = 0; index < value.length; index += 1) {
      const inner = item(value[index]);
      if (inner !== undefined) return { at: `[${index}]${inner.at}`, must: inner.must };
    }
    return undefined;
  };
}

/** An object with members of one shape under any names. */
export function record<T>(member: Shape<T>): Shape<{ readonly [key: string]: T }> {
  return (value) => {
    const misfit = jsonObject(value);
    if (misfit !== undefined) return misfit;
    for (const [key, inner] of Object.entries(value as JsonObject)) {
      const innerMisfit = member(inner);
      if (innerMisfit !== undefined) return { at: `[${quoted(key)}]${innerMisfit.at}`, must: innerMisfit.must };
    }
    return undefined;
  };
}

/**
 * An object with required and optional members; further members are tolerated. An optional member may be absent, not
 * `null`.
 */
export function object<const R extends Members, const O extends Members = Record<never, never>>(
  required: R,
  optional?: O,
): Shape<ObjectOf<R, O>> {
  const rules = [...toRules(required, true), ...toRules(optional ?? {}, false)];
  return (value) => {
    const misfit = jsonObject(value);
    if (misfit !== undefined) return misfit;
    const members = value as JsonObject;
    for (const { key, shape, isRequired } of rules) {
      const member = members[key];
      if (member === undefined) {
        if (isRequired) return { at: `.${key}`, must: 'be present' };
        continue;
      }
      const inner = shape(member);
      if (inner !== undefined) return { at: `.${key}${inner.at}`, must: inner.must };
    }
    return undefined;
  };
}

/**
 * An object whose member `key` selects its shape. Where `others` is given, an unknown selector takes that shape;
 * without it, an unknown selector is a misfit.
 */
export function variant<const V extends Members>(key: string, variants: V): Shape<Shaped<V[keyof V]>>;
export function variant<const V extends Members, T>(
  key: string,
  variants: V,
  others: Shape<T>,
): Shape<Shaped<V[keyof V]> | T>;
export function variant(key: string, variants: Members, others?: Shape<unknown>): Shape<unknown> {
  const names = Object.keys(variants);
  const selector = oneOf(...names);
  return (value) => {
    const misfit = jsonObject(value);
    if (misfit !== undefined) return misfit;
    const selected = (value as JsonObject)[key];
    if (typeof selected === 'string' && Object.hasOwn(variants, selected)) return variants[selected]?.(value);
    if (others !== undefined && typeof selected === 'string') return others(value);
    const inner = selected === undefined ? { at: '', must: 'be present' } : selector(selected);
    return inner === undefined ? undefined : { at: `.${key}${inner.at}`, must: inner.must };
  };
}

/** A value that fits at least one of two shapes; the misfit of the first is reported. */
export function either<A, B>(first: Shape<A>, second: Shape<B>): Shape<A | B> {
  return (value) => {
    const misfit = first(value);
    return misfit === undefined || second(value) === undefined ? undefined : misfit;
  };
}

function toRules(members: Members, isRequired: boolean): readonly MemberRule[] {
  return Object.entries(members).map(([key, shape]) => ({ key, shape, isRequired }));
}

interface MemberRule {
  readonly key: string;
  readonly shape: Shape<unknown>;
  readonly isRequired: boolean;
}

function quoted(key: string): string {
  return JSON.stringify(clip(key, 65));
}

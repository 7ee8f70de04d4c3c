import { isJsonObject, type JsonObject, type Misfit, type Shape } from '@switchyard/protocol';

/** A value that fits its shape, or where it does not. */
type Reading<T> = { readonly value: T } | { readonly misfit: Misfit };

/**
 * Answers a value from outside under the type of a shape that it fits. Where the shape names a number, a `bigint` is read
 * as one: exact integers are for what the protocol leaves open.
 */
export function readAs<T>(shape: Shape<T>, received: unknown): Reading<T> {
  for (let value = received; ;) {
    const misfit = shape(value);
    // What a shape accepts has its type; a function that answers what is wrong cannot narrow it itself.
    if (misfit === undefined) return { value: value as T };
    const [, ...path] = misfit.at.split('.');
    const rounded = withRounded(value, path);
    if (rounded === undefined) return { misfit };
    value = rounded;
  }
}

/** Answers a copy with the `bigint` under a path as a number; `undefined` where there is none. */
function withRounded(value: unknown, [key, ...rest]: readonly string[]): number | JsonObject | undefined {
  if (key === undefined) return typeof value === 'bigint' ? Number(value) : undefined;
  if (!isJsonObject(value)) return undefined;
  const inner = withRounded(value[key], rest);
  return inner === undefined ? undefined : { ...value, [key]: inner };
}

import type { Misfit, Shape } from '@switchyard/protocol';

/** A value that fits its shape, or where it does not. */
type Reading<T> = { readonly value: T } | { readonly misfit: Misfit };

/** Answers a value from outside under the type of a shape that it fits. */
export function readAs<T>(shape: Shape<T>, value: unknown): Reading<T> {
  const misfit = shape(value);
  // What a shape accepts has its type; a function that answers what is wrong cannot narrow it itself.
  return misfit === undefined ? { value: value as T } : { misfit };
}

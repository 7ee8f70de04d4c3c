import { isJsonObject, type Misfit, type Shape } from '@switchyard/protocol';

/** A value that fits its shape, or where it does not. */
type Reading<T> = { readonly value: T } | { readonly misfit: Misfit };

/**
 * Answers a value from outside under the type of a shape that it fits. Where the shape names a number, a `bigint` is read
 * as one: exact integers are for what the protocol leaves open.
 */
export function readAs<T>(shape: Shape<T>, received: unknown): Reading<T> {
  let value = received;
  for (let rounds = 0; ; rounds += 1) {
    const misfit = shape(value);
    // What a shape accepts has its type; a function that answers what is wrong cannot narrow it itself.
    if (misfit === undefined) return { value: value as T };
    const rounded = rounds < MAX_ROUNDED ? withRounded(value, misfit.at.match(STEP) ?? []) : undefined;
    if (rounded === undefined) return { misfit };
    value = rounded;
  }
}

/** Each costs a copy of what it stands in, and no honest value has as many. */
const MAX_ROUNDED = 100;
/** A member or an item on the path of a misfit. */
const STEP = /[^.[\]]+/g;

/** Answers a copy with the `bigint` under a path as a number; `undefined` where there is none. */
function withRounded(value: unknown, [step, ...rest]: readonly string[]): unknown {
  if (step === undefined) return typeof value === 'bigint' ? Number(value) : undefined;
  if (Array.isArray(value)) {
    const inner = withRounded(value[Number(step)], rest);
    return inner === undefined ? undefined : value.with(Number(step), inner);
  }
  if (!isJsonObject(value)) return undefined;
  const inner = withRounded(value[step], rest);
  return inner === undefined ? undefined : { ...value, [step]: inner };
}

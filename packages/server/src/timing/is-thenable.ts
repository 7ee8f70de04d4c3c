/**
 * Answers whether a value must be awaited. What is there already is not: each wait costs a request a turn of its own.
 */
export function isThenable<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}

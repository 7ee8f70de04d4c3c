import { ClientError, withEffect } from '../peer/client-error.ts';

const refused = new WeakSet<object>();

/**
 * Answers the error, marked, of a request that the server refused before it looked at it, so that it certainly had no
 * effect. A `ClientError` is copied: others may have failed by the same one.
 */
export function markRefused(error: unknown): unknown {
  const marked = error instanceof ClientError ? withEffect(error, false) : error;
  if (typeof marked === 'object' && marked !== null) refused.add(marked);
  return marked;
}

/** Whether {@link markRefused} marked this error. */
export function isRefused(error: unknown): boolean {
  return typeof error === 'object' && error !== null && refused.has(error);
}

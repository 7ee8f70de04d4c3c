import { type ClientError, withEffect } from '../peer/client-error.ts';

const unsent = new WeakSet<ClientError>();

/** Marks the error of a request of which no byte was handed over, so that it certainly had no effect. */
export function markUnsent(error: ClientError): ClientError {
  const marked = withEffect(error, false);
  unsent.add(marked);
  return marked;
}

/** Whether {@link markUnsent} marked this error. */
export function isUnsent(error: ClientError): boolean {
  return unsent.has(error);
}

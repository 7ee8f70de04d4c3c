import type { ClientError } from '../peer/client-error.ts';

const cut = new WeakSet<ClientError>();

/** Marks the error of an answer that is not there, or not whole, which is as good as lost on the way. */
export function markCut(error: ClientError): ClientError {
  cut.add(error);
  return error;
}

/** Whether {@link markCut} marked this error. */
export function isCut(error: ClientError): boolean {
  return cut.has(error);
}

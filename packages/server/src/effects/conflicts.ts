import { StoreError } from '@switchyard/stores';

/** A record has two or three writers: more conflicts in a row are a broken store, or one that is read from a copy that lags. */
export const MAX_CONFLICTS = 100;

/** Answers the error for a record that was never as it had been read, `what` as the error calls it. */
export function tooManyConflicts(what: string): StoreError {
  return new StoreError('unavailable', `${what} could not be written: ${MAX_CONFLICTS} others were first`);
}

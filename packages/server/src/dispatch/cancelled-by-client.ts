import { clip } from '@switchyard/protocol';

import { MAX_LOGGED_CHARS } from './logged.ts';

/** Answers why a request ends whose client cancelled it; `given` is what the client says, if anything. */
export function cancelledByClient(given: unknown): Error {
  return new Error(
    typeof given === 'string' ? `cancelled: ${clip(given, MAX_LOGGED_CHARS)}` : 'cancelled by the client',
  );
}

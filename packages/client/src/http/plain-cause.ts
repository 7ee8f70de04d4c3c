import { excerpt, maskedExcerpt } from '../peer/excerpt.ts';
import type { PeerContext } from '../peer/peer-context.ts';
import { connectionFailure } from './connection-failure.ts';

/**
 * Answers what a fetch function threw as the cause of an error: its innermost message, masked, and its code. The error
 * itself goes no further, since HTTP libraries add what they met to theirs: undici the bytes of an answer that it cannot
 * read, in which a server may say credentials back.
 */
export function plainCause(context: PeerContext, thrown: unknown): Error {
  const { code, message } = connectionFailure(thrown);
  const cause = new Error(maskedExcerpt(context, message));
  return code === '' ? cause : Object.assign(cause, { code: excerpt(code) });
}

import { ProtocolError } from '@switchyard/protocol';

import type { RequestState } from '../state/request-state.ts';
import { MAX_SEALED_CHARS } from '../state/state-sealer.ts';
import { InputError } from './input-error.ts';
import { type Journal, journalFromJson, journalToJson, largestPart } from './journal.ts';

/** What a journal is sealed for. */
export interface JournalSeal {
  readonly state: RequestState;
  /** The digest of everything that the request is, of `bindingDigest`. */
  readonly binding: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/**
 * Answers the request state that holds a journal.
 *
 * @throws (as a rejection) InputError `state`, which names the largest part, when it would be longer than {@link MAX_SEALED_CHARS}.
 */
export async function sealJournal(journal: Journal, { state, binding, now }: JournalSeal): Promise<string> {
  const sealed = await state.sealer.seal({ binding, expiresAt: now + state.stateTtlMs, ...journalToJson(journal) });
  if (sealed.length <= MAX_SEALED_CHARS) return sealed;
  const largest = largestPart(journal);
  throw new InputError(
    'state',
    `the request state has ${sealed.length} bytes sealed and at most ${MAX_SEALED_CHARS} may travel` +
      (largest === undefined ? '' : `; the largest part is ${largest.what} with ${largest.chars} characters`) +
      ': keep large values in a store of your own and return a handle from the step',
  );
}

/**
 * Answers the journal of a request state, and when it expires.
 *
 * @throws (as a rejection) ProtocolError -32602 when it is not good for this request, now.
 */
export async function openJournal(
  sealed: string,
  { state, binding, now }: JournalSeal,
): Promise<{ readonly journal: Journal; readonly expiresAt: number }> {
  const payload = await state.sealer.open(sealed);
  const expiresAt = payload?.['expiresAt'] as number;
  if (payload === undefined || !(expiresAt > now) || payload['binding'] !== binding) throw badState();
  return { journal: journalFromJson(payload), expiresAt };
}

/** The error for every reason why a request state is refused: what failed is nobody's business. */
export function badState(): ProtocolError {
  return new ProtocolError(
    'invalidParams',
    'The request state is not good for this request: send the request again without it',
  );
}

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

/** Why a request state is refused. The log says so, and its sender never learns it. */
export const stateRefusals = {
  'not-ours': 'no key of this server opens it: it was altered, or sealed under a key that this process does not have',
  expired: 'its time (state.ttlMs) is over',
  'other-request':
    'it was made for another request: other arguments, another caller or audience, or a definition that has changed since',
  'used-before': 'it is good for one retry (singleUse), and another one came before',
} as const;

/** A key of {@link stateRefusals}. */
export type StateRefusal = keyof typeof stateRefusals;

/**
 * Answers the journal of a request state, and when it expires; or why it is not good for this request, now: no key of the server opens it
 * (altered, or sealed under a key that is gone), its time is over, or it was made for another request, caller or definition.
 */
export async function openJournal(
  sealed: string,
  { state, binding, now }: JournalSeal,
): Promise<{ readonly journal: Journal; readonly expiresAt: number } | { readonly refused: StateRefusal }> {
  const payload = await state.sealer.open(sealed);
  const expiresAt = payload?.['expiresAt'] as number;
  if (payload === undefined) return { refused: 'not-ours' };
  if (!(expiresAt > now)) return { refused: 'expired' };
  if (payload['binding'] !== binding) return { refused: 'other-request' };
  return { journal: journalFromJson(payload), expiresAt };
}

/** The error for every reason why a request state is refused: what failed is nobody's business. */
export function badState(): ProtocolError {
  return new ProtocolError(
    'invalidParams',
    'The request state is not good for this request: send the request again without it',
  );
}

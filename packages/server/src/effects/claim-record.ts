import { type JsonObject, parseJsonObject } from '@switchyard/protocol';

import type { Leased } from './lease.ts';
import { isOutcome, type Outcome } from './outcome.ts';

/** What is stored under the key of work that runs once. */
export interface ClaimRecord extends Leased {
  /** One text for each claim, so that whoever made it knows it again. */
  readonly claim: string;
  readonly subject: string;
  readonly outcome?: Outcome;
  /** When the outcome was recorded, in milliseconds since the epoch. */
  readonly doneAt?: number;
}

/** Reads what is stored; `undefined` for nothing, and for what is no claim. */
export function parseClaimRecord(text: string | undefined): ClaimRecord | undefined {
  const value = text === undefined ? undefined : parseJsonObject(text);
  return value !== undefined && isClaimRecord(value) ? value : undefined;
}

function isClaimRecord(value: JsonObject): value is JsonObject & ClaimRecord {
  return (
    typeof value['claim'] === 'string' &&
    typeof value['subject'] === 'string' &&
    typeof value['aliveUntil'] === 'number' &&
    (value['outcome'] === undefined || isOutcome(value['outcome'])) &&
    (value['doneAt'] === undefined || typeof value['doneAt'] === 'number')
  );
}

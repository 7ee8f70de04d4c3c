import { DatabaseError } from 'pg';
import { reasonOf } from '../reason-of.ts';
import { StoreError } from '../store-error.ts';
import type { StoreErrorCode } from '../store-error.ts';

const codes = new Map<string, StoreErrorCode>([
  ['22021', 'corrupt'], // character_not_in_repertoire
  ['22P05', 'corrupt'], // untranslatable_character: the database is not in UTF8
  ['3F000', 'corrupt'], // invalid_schema_name
  ['42703', 'corrupt'], // undefined_column
  ['42P01', 'corrupt'], // undefined_table
  ['42P07', 'corrupt'], // duplicate_table: another program's table has the name
  ['42883', 'corrupt'], // undefined_function
]);

/** True when the server rolled a statement back because of others that ran at once, so that it may be run again. */
export function isRolledBack(error: unknown): boolean {
  // serialization_failure and deadlock_detected
  return error instanceof DatabaseError && (error.code === '40001' || error.code === '40P01');
}

/**
 * The StoreError for whatever the driver threw: `corrupt` where what is stored is no store of ours or the text cannot
 * be kept, else `unavailable`. `what` says in a few words what was tried on which server.
 */
export function toStoreError(error: unknown, what: string): StoreError {
  if (error instanceof StoreError) return error;
  const code = (error instanceof DatabaseError && codes.get(error.code ?? '')) || 'unavailable';
  return new StoreError(code, `${what}: ${reasonOf(error)}`, { cause: error });
}

import { errorCodes, type JsonObject } from '@switchyard/protocol';
import type { ClientError } from '../peer/client-error.ts';

/** How one question of a server ended. */
export type Outcome =
  | { readonly answer: JsonObject }
  | {
      /** What the interrupted call ends with. */
      readonly failure: ClientError;
      /** What a server is told that asked in a request of its own. */
      readonly error: { readonly code: number; readonly message: string };
    };

/** What a legacy server is told of a question without an answer. Spec: 2025-11-25/client/sampling#error-handling. */
export const refusals = {
  declined: { code: -1, message: 'The user declined the request' },
  tooOften: { code: -1, message: 'Too many requests: ask again later' },
  unsupported: { code: errorCodes.methodNotFound.code, message: 'Method not found: this client does not serve it' },
  unsupportedMode: { code: errorCodes.invalidParams.code, message: 'This client does not support that mode' },
  failed: { code: errorCodes.internalError.code, message: 'The client could not answer' },
} as const;

/** Answers what a legacy server is told of params that cannot be used. */
export function invalidParams(problem: string): { readonly code: number; readonly message: string } {
  return { code: errorCodes.invalidParams.code, message: `Invalid params: ${problem}` };
}

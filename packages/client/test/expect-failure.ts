import { ClientError } from '../src/index.ts';

/** Answers the local error that a promise rejects with; throws when it resolves or rejects with anything else. */
export async function failure(work: Promise<unknown>): Promise<ClientError> {
  let reason: unknown;
  try {
    await work;
  } catch (error) {
    reason = error;
  }
  if (reason instanceof ClientError) return reason;
  throw new Error(`expected a ClientError, got ${reason instanceof Error ? reason.message : 'a result'}`, {
    cause: reason,
  });
}

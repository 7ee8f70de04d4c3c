import process from 'node:process';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { ProtocolError } from '@switchyard/protocol';
import { expect } from 'vitest';
import { ClientError, type ClientErrorCode, type ConnectOptions } from '../../src/index.ts';

/** Every failure of this suite is one of `depot`, within these times. */
export const impatient: ConnectOptions = { name: 'depot', timeoutMs: 250, maxTimeoutMs: 400, startTimeoutMs: 400 };

/** How long the slowest of them may take to settle, on a machine that does other work, too. */
const SLACK_MS = 2_500;

/** Waits for what a hostile server brings about; fails where nothing does within the deadline. */
export async function settled<T>(work: Promise<T>): Promise<{ readonly value: T } | { readonly error: unknown }> {
  const over = Promise.withResolvers<'late'>();
  const timer = setTimeout(() => over.resolve('late'), SLACK_MS);
  try {
    const outcome = await Promise.race([
      work.then(
        (value) => ({ value }),
        (error: unknown) => ({ error }),
      ),
      over.promise,
    ]);
    if (outcome === 'late') throw new Error('the call outlived its deadline');
    return outcome;
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Asserts that work rejects in time, with a local error of one of these codes that names the server and is fit for a log.
 */
export async function expectRefused(
  work: Promise<unknown>,
  ...codes: readonly [ClientErrorCode, ...ClientErrorCode[]]
): Promise<ClientError> {
  const outcome = await settled(work);
  if (!('error' in outcome)) throw new Error(`expected a failure, got ${JSON.stringify(outcome.value)}`);
  const { error } = outcome;
  if (!(error instanceof ClientError))
    throw new Error(`expected a ClientError, got ${String(error)}`, { cause: error });
  expect(codes).toContain(error.code);
  expect(error.server).toBe('depot');
  expect(error.message).toContain('MCP server "depot"');
  expect(error.message.length).toBeLessThan(2_000);
  expect(error.message).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069\u200b]/);
  return error;
}

/** Asserts that work rejects in time with the peer's own error. */
export async function expectPeerError(work: Promise<unknown>, code: number): Promise<ProtocolError> {
  const outcome = await settled(work);
  const error = 'error' in outcome ? outcome.error : undefined;
  if (!(error instanceof ProtocolError)) throw new Error('expected the error of the peer', { cause: error });
  expect(error.code).toBe(code);
  expect(error.server).toBe('depot');
  return error;
}

/** Asserts that work resolves in time, and answers its value. */
export async function expectAccepted<T>(work: Promise<T>): Promise<T> {
  const outcome = await settled(work);
  if ('error' in outcome) throw outcome.error;
  return outcome.value;
}

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** Answers by how many bytes the heap and what hangs on it grew meanwhile, garbage aside. */
export async function growthDuring(work: () => Promise<unknown>): Promise<number> {
  collect();
  const before = process.memoryUsage();
  await work();
  collect();
  const after = process.memoryUsage();
  return after.heapUsed + after.external - before.heapUsed - before.external;
}

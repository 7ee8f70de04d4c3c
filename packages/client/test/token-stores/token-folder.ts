import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** Answers the path of a folder for tokens that is not there yet, and is gone after the test. */
export async function tokenFolder(): Promise<string> {
  const parent = await mkdtemp(join(tmpdir(), 'switchyard-tokens-'));
  onTestFinished(() => rm(parent, { recursive: true, force: true }));
  return join(parent, 'tokens');
}

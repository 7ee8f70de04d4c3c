import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { SpawnError, spawnServer } from '@switchyard/guards/node';
import { describe, expect, it } from 'vitest';
import { retryShortage } from '../src/node/retry-shortage.ts';

const run = promisify(execFile);
const isPosix = process.platform !== 'win32';

/** A start that fails with these system codes, one after the other, and then works. */
function failing(...codes: readonly (string | undefined)[]): { readonly start: () => Promise<string>; tried: number } {
  const seen = {
    tried: 0,
    start(): Promise<string> {
      const at = seen.tried;
      seen.tried += 1;
      if (at >= codes.length) return Promise.resolve('started');
      return Promise.reject(new SpawnError('unavailable', 'no', codes[at]));
    },
  };
  return seen;
}

describe('a system that is short of something', () => {
  it.each(['EAGAIN', 'ENOMEM', 'EMFILE', 'ENFILE'])('is asked again after %s', async (code) => {
    const work = failing(code, code);
    expect(await retryShortage(work.start, { delaysMs: [0, 0, 0] })).toBe('started');
    expect(work.tried).toBe(3);
  });

  it.each(['ENOENT', 'EACCES', 'E2BIG', undefined])('is not asked again after %s', async (code) => {
    const work = failing(code);
    await expect(retryShortage(work.start, { delaysMs: [0, 0, 0] })).rejects.toMatchObject({ systemCode: code });
    expect(work.tried).toBe(1);
  });

  it('is asked a bounded number of times, and the last answer is handed on', async () => {
    const work = failing(...Array.from({ length: 100 }, () => 'EAGAIN'));
    await expect(retryShortage(work.start, { delaysMs: [0, 0, 0] })).rejects.toMatchObject({ systemCode: 'EAGAIN' });
    expect(work.tried).toBe(4);
  });

  it('is no longer asked once the caller has given up, whose reason is handed on', async () => {
    const controller = new AbortController();
    const work = failing('EAGAIN', 'EAGAIN');
    const waiting = retryShortage(work.start, { delaysMs: [60_000], signal: controller.signal });
    await Promise.resolve();
    controller.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    expect(work.tried).toBe(1);
  });

  it('starts nothing for a caller who had given up before', async () => {
    const signal = AbortSignal.abort(new Error('enough'));
    await expect(spawnServer({ command: process.execPath, signal })).rejects.toThrow('enough');
  });

  it.runIf(isPosix).each([
    ['for-a-while', { exit: { code: 0, signal: null } }],
    ['for-ever', { code: 'unavailable', systemCode: 'EMFILE' }],
  ])('has a server started once descriptors are free again: %s', async (how, outcome) => {
    const fixture = fileURLToPath(new URL('./fixtures/few-descriptors.ts', import.meta.url));
    const script = 'ulimit -n 64; exec "$0" "$@"';
    const args = ['-c', script, process.execPath, '--conditions=@switchyard/source', fixture, how];
    const { stdout } = await run('/bin/sh', args);
    expect(JSON.parse(stdout)).toMatchObject(outcome);
  });
});

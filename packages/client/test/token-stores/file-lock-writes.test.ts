import type * as FileSystem from 'node:fs';
import { rmSync } from 'node:fs';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { systemClock } from '../../src/index.ts';
import { createFileLocks } from '../../src/node/file-lock.ts';
import { createFileTokenStore } from '../../src/node/file-token-store.ts';
import { openPrivateFolder } from '../../src/node/private-files.ts';
import { ownMark } from '../../src/node/process-mark.ts';
import { createManualClock } from '../manual-clock.ts';
import { tokenFolder } from './token-folder.ts';

const disk = vi.hoisted(() => ({ isFull: false, beforeWrite: () => {} }));

/** A disk that has room for the name of a file, and for nothing in it. */
vi.mock('node:fs', async (importOriginal) => {
  const real = await importOriginal<typeof FileSystem>();
  const orFull =
    <Parameters extends unknown[], Result>(write: (...parameters: Parameters) => Result) =>
    (...parameters: Parameters): Result => {
      disk.beforeWrite();
      if (disk.isFull) throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
      return write(...parameters);
    };
  return { ...real, writeSync: orFull(real.writeSync), writeFileSync: orFull(real.writeFileSync) };
});

afterEach(() => {
  disk.isFull = false;
  disk.beforeWrite = () => undefined;
});

describe('a full disk', () => {
  it.each([
    ['a lock', undefined],
    ['the claim to a lock of a process that ended', { token: 'abcdefghijklmnop', ...ownMark(), pid: 2 ** 31 - 1 }],
  ])('is said, with what to do, keeps %s from being left behind, and nobody waiting afterwards', async (_, dead) => {
    const folder = await tokenFolder();
    const clock = createManualClock();
    await createFileTokenStore({ folder, clock }).set('a', 'kept');
    if (dead !== undefined) await writeFile(join(folder, 'store.lock'), JSON.stringify(dead), { mode: 0o600 });
    const before = (await readdir(folder)).toSorted();
    disk.isFull = true;
    for (let attempt = 1; attempt <= 2; attempt += 1) {
      await expect(createFileTokenStore({ folder, clock }).get('a')).rejects.toMatchObject({
        code: 'unavailable',
        message: expect.stringMatching(/store\.lock could not be taken: .*disk is full: make room on it/) as string,
      });
      expect((await readdir(folder)).toSorted()).toEqual(before);
    }
    disk.isFull = false;
    // Time stands still: what had to wait would never come.
    expect(await createFileTokenStore({ folder, clock }).get('a')).toBe('kept');
  });
});

describe('a lock that was taken for one of a dead process before it was written', () => {
  it('is not held by whoever made it, who then takes it anew', async () => {
    const folder = await tokenFolder();
    await openPrivateFolder(folder);
    const path = join(folder, 'a.lock');
    let writes = 0;
    disk.beforeWrite = () => {
      writes += 1;
      if (writes === 1) rmSync(path);
    };
    const { signal } = new AbortController();
    const found = await createFileLocks({ clock: systemClock }).exclusively(path, signal, () => readdir(folder));
    expect(found).toEqual(['a.lock']);
    expect(writes).toBe(2);
  });
});

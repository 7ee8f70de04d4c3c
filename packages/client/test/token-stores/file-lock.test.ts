import { createServer } from 'node:http';
import { once } from 'node:events';
import { readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../src/index.ts';
import { createFileLocks } from '../../src/node/file-lock.ts';
import { createFileTokenStore } from '../../src/node/file-token-store.ts';
import { openPrivateFolder } from '../../src/node/private-files.ts';
import { ownMark } from '../../src/node/process-mark.ts';
import { createManualClock } from '../manual-clock.ts';
import { startTokenProcess } from './start-holder.ts';
import { tokenFolder } from './token-folder.ts';

const never = new AbortController().signal;
const elsewhere = JSON.stringify({ token: 'abcdefghijklmnop', pid: process.pid, startedAt: '1', machine: 'elsewhere' });

/** A server on which each refresh token is good once. */
async function serveRotation(first: string) {
  let valid = first;
  let refreshes = 0;
  let misuses = 0;
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (part: string) => (body += part));
    request.on('end', () => {
      if (body !== valid) {
        misuses += 1;
        response.writeHead(400).end();
        return;
      }
      refreshes += 1;
      valid = `token-${refreshes}`;
      response.end(valid);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    counts: () => ({ refreshes, misuses }),
  };
}

async function lockPath(): Promise<string> {
  const folder = await tokenFolder();
  await openPrivateFolder(folder);
  return join(folder, 'a.lock');
}

describe('exclusively', () => {
  it('has one of several processes that refresh at once do it, and gives all of them the new token', async () => {
    const folder = await tokenFolder();
    await createFileTokenStore({ folder }).set('token', 'first');
    const rotation = await serveRotation('first');
    const children = [1, 2, 3, 4, 5].map(() => startTokenProcess('refresh', folder, rotation.url));
    await Promise.all(children.map((child) => child.until('ready')));
    for (const child of children) child.process.stdin?.write('go\n');
    expect(await Promise.all(children.map((child) => child.ended))).toEqual([0, 0, 0, 0, 0]);
    expect(rotation.counts()).toEqual({ refreshes: 1, misuses: 0 });
    for (const child of children) expect(child.written()).toBe('ready\nhas token-1\n');
    expect((await readdir(folder)).filter((name) => !/\.token$|^key$|^store\.json$/.test(name))).toEqual([]);
  });

  it('takes the lock of a process that was killed away at once, for one of those who wait at a time', async () => {
    const folder = await tokenFolder();
    const holder = startTokenProcess('hold', folder);
    await holder.until('held');
    let inside = 0;
    let most = 0;
    let done = 0;
    const waiting = [1, 2, 3, 4].map(() =>
      createFileTokenStore({ folder }).exclusively('token', never, async () => {
        most = Math.max(most, (inside += 1));
        await new Promise((resolve) => void setImmediate(resolve));
        inside -= 1;
        done += 1;
      }),
    );
    expect(done).toBe(0);
    holder.process.kill('SIGKILL');
    await Promise.all(waiting);
    expect({ most, done }).toEqual({ most: 1, done: 4 });
  });

  it.skipIf(process.platform !== 'linux')(
    'never takes the lock of a process away that lives, however long it is silent',
    async () => {
      const folder = await tokenFolder();
      const holder = startTokenProcess('hold', folder);
      await holder.until('held');
      holder.process.kill('SIGSTOP');
      const clock = createManualClock();
      const giveUp = new AbortController();
      const waiting = createFileTokenStore({ folder, clock }).exclusively('token', giveUp.signal, () =>
        Promise.resolve('taken'),
      );
      const outcome = waiting.catch((error: unknown) => error);
      await clock.advance(120_000);
      giveUp.abort(new Error('waited long enough'));
      expect(await outcome).toEqual(new Error('waited long enough'));
    },
  );

  it.each([
    ['of another machine', elsewhere, 15_000],
    ['that is not complete', '', 2000],
  ])('takes a lock %s away only after it gave no sign for a while', async (_, text, silentMs) => {
    const path = await lockPath();
    await writeFile(path, text, { mode: 0o600 });
    const clock = createManualClock();
    let isTaken = false;
    const waiting = createFileLocks({ clock }).exclusively(path, never, () => {
      isTaken = true;
      return Promise.resolve();
    });
    await clock.advance(silentMs - 1000);
    expect(isTaken).toBe(false);
    // A sign of life begins the count anew.
    await writeFile(path, ' ', { flag: 'a' });
    await clock.advance(silentMs - 1000);
    expect(isTaken).toBe(false);
    await clock.advance(2000);
    await waiting;
    expect(isTaken).toBe(true);
  });

  it.each([
    ['of another machine', 'abcdefghijklmnop', elsewhere],
    ['that is not complete', 'incomplete', ''],
  ])('takes a lock %s away that somebody died of taking away, before a store gives up', async (_, name, text) => {
    const folder = await tokenFolder();
    await createFileTokenStore({ folder }).set('a', 'kept');
    const path = join(folder, 'store.lock');
    for (const left of [path, `${path}.${name}.end`]) await writeFile(left, text, { mode: 0o600 });
    const clock = createManualClock();
    const over = new AbortController();
    const read = createFileTokenStore({ folder, clock })
      .get('a')
      .finally(() => over.abort());
    // A failure is looked at when the time is over, below.
    read.catch(() => undefined);
    while (!over.signal.aborted) await clock.advance(250);
    expect(await read).toBe('kept');
    expect((await readdir(folder)).filter((each) => each.startsWith('store.lock'))).toEqual([]);
  });

  it.skipIf(process.platform !== 'linux')(
    'tells a process from an earlier one of the same number, whose lock is taken away',
    async () => {
      const path = await lockPath();
      await writeFile(path, JSON.stringify({ token: 'abcdefghijklmnop', ...ownMark(), startedAt: '1' }));
      const clock = createManualClock();
      expect(await createFileLocks({ clock }).exclusively(path, never, () => Promise.resolve('taken'))).toBe('taken');
    },
  );

  it('gives signs of life while work goes on, and none afterwards', async () => {
    const path = await lockPath();
    const clock = createManualClock();
    const finish = Promise.withResolvers<void>();
    const began = Promise.withResolvers<void>();
    const work = createFileLocks({ clock }).exclusively(path, never, () => {
      began.resolve();
      return finish.promise;
    });
    await began.promise;
    const before = (await readFile(path)).length;
    for (let sign = 1; sign <= 3; sign += 1) {
      await clock.advance(3000);
      await expect.poll(async () => (await readFile(path)).length).toBe(before + sign);
    }
    finish.resolve();
    await work;
    await expect(readFile(path)).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('frees the lock when work fails, lets who came first go first, and lets those go who give up', async () => {
    const path = await lockPath();
    const clock = createManualClock();
    const locks = createFileLocks({ clock });
    const order: number[] = [];
    const gate = Promise.withResolvers<void>();
    const first = locks.exclusively(path, never, async () => {
      await gate.promise;
      throw new Error('it failed');
    });
    const giveUp = new AbortController();
    const second = locks.exclusively(path, giveUp.signal, () => Promise.resolve(order.push(2)));
    const third = locks.exclusively(path, never, () => Promise.resolve(order.push(3)));
    const fourth = locks.exclusively(path, never, () => Promise.resolve(order.push(4)));
    giveUp.abort(new Error('no more'));
    await expect(second).rejects.toThrow('no more');
    gate.resolve();
    await expect(first).rejects.toThrow('it failed');
    await Promise.all([third, fourth]);
    expect(order).toEqual([3, 4]);
  });
});

describe('what is no lock', () => {
  it.skipIf(process.platform === 'win32')('in the place of one is said, and keeps nothing else waiting', async () => {
    const folder = await tokenFolder();
    await openPrivateFolder(folder);
    const path = join(folder, 'a.lock');
    await symlink(join(folder, 'nowhere'), path);
    const locks = createFileLocks({ clock: systemClock });
    await expect(locks.exclusively(path, never, () => Promise.resolve(1))).rejects.toThrow(/is no file .* remove it/);
  });
});

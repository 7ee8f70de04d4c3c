import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { chmod, mkdir, readdir, readFile, rename, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createFileTokenStore } from '../../src/node/file-token-store.ts';
import { tokenFolder } from './token-folder.ts';

const secret = '{"access_token":"at-9f3b","refresh_token":"rt-77c1"}';
const key = new Uint8Array(32).fill(7);
const otherKey = new Uint8Array(32).fill(8);

async function filesOf(folder: string): Promise<readonly { readonly name: string; readonly text: string }[]> {
  const names = await readdir(folder);
  return Promise.all(names.map(async (name) => ({ name, text: await readFile(join(folder, name), 'utf8') })));
}

async function tokenFile(folder: string): Promise<string> {
  const name = (await readdir(folder)).find((each) => each.endsWith('.token'));
  return join(folder, name ?? 'none');
}

describe('createFileTokenStore', () => {
  it('gives back what was kept, to another store of the same folder, too, and nothing after it was deleted', async () => {
    const folder = await tokenFolder();
    const store = createFileTokenStore({ folder });
    expect(await store.get('a')).toBeUndefined();
    await store.set('a', secret);
    await store.set('a', `${secret} `);
    await store.set('b/../b', 'ä€😀');
    const other = createFileTokenStore({ folder });
    expect(await other.get('a')).toBe(`${secret} `);
    expect(await other.get('b/../b')).toBe('ä€😀');
    await other.delete('a');
    await other.delete('a');
    expect(await store.get('a')).toBeUndefined();
  });

  it('[AUTHCL-21] [AUTHCL-27] keeps neither a token nor the name of its key in a file as it is', async () => {
    const folder = await tokenFolder();
    await createFileTokenStore({ folder, key }).set('https://as.example client-1', secret);
    const files = await filesOf(folder);
    expect(files.length).toBe(2);
    for (const { name, text } of files) {
      for (const part of ['at-9f3b', 'rt-77c1', 'as.example', Buffer.from(secret).toString('base64url').slice(4, 20)])
        expect(name + text).not.toContain(part);
    }
  });

  it.skipIf(process.platform === 'win32')(
    '[AUTHCL-21] [AUTHCL-27] lets nobody but its user read the folder and what is in it',
    async () => {
      const folder = await tokenFolder();
      await createFileTokenStore({ folder }).set('a', secret);
      expect((await stat(folder)).mode & 0o777).toBe(0o700);
      for (const { name } of await filesOf(folder)) expect((await stat(join(folder, name))).mode & 0o777).toBe(0o600);
    },
  );

  it.skipIf(process.platform === 'win32').each([
    ['the folder', 0o755, (folder: string) => Promise.resolve(folder)],
    ['a token', 0o640, tokenFile],
    ['the key', 0o604, (folder: string) => Promise.resolve(join(folder, 'key'))],
  ])('[AUTHCL-27] refuses to read where %s can be read by others', async (_, mode, pathOf) => {
    const folder = await tokenFolder();
    await createFileTokenStore({ folder }).set('a', secret);
    const path = await pathOf(folder);
    await chmod(path, mode);
    const refused = createFileTokenStore({ folder }).get('a');
    await expect(refused).rejects.toMatchObject({ name: 'TokenStoreError', code: 'unsafe' });
    await expect(refused).rejects.toThrow(path);
  });

  it.skipIf(process.platform === 'win32')(
    '[AUTHCL-27] follows no link in place of its folder or of a file',
    async () => {
      const folder = await tokenFolder();
      await mkdir(`${folder}-elsewhere`, { mode: 0o700 });
      await symlink(`${folder}-elsewhere`, folder);
      for (const named of [folder, `${folder}/`, `${folder}/.`])
        await expect(createFileTokenStore({ folder: named }).set('a', secret)).rejects.toMatchObject({
          code: 'unsafe',
        });
      await rm(folder);
      await createFileTokenStore({ folder }).set('a', secret);
      const path = await tokenFile(folder);
      await rename(path, `${folder}-elsewhere/token`);
      await symlink(`${folder}-elsewhere/token`, path);
      await expect(createFileTokenStore({ folder }).get('a')).rejects.toMatchObject({ code: 'unsafe' });
    },
  );

  it.skipIf(process.platform === 'win32').each([
    ['a pipe, which nobody may ever write to', (path: string) => execFileSync('mkfifo', [path])],
    ['a folder', (path: string) => mkdirSync(path)],
  ])('[AUTHCL-27] answers corrupt where %s stands in place of a token, and does not wait for it', async (_, put) => {
    const folder = await tokenFolder();
    const store = createFileTokenStore({ folder, key });
    await store.set('a', secret);
    const path = await tokenFile(folder);
    await rm(path);
    put(path);
    const refused = store.get('a');
    await expect(refused).rejects.toMatchObject({ code: 'corrupt' });
    await expect(refused).rejects.toThrow(`${path} is no file that a token store wrote. Remove it.`);
  });

  it('[AUTHCL-27] answers wrong-key to another key, loses nothing, and gives all back to the right one', async () => {
    const folder = await tokenFolder();
    await createFileTokenStore({ folder, key }).set('a', secret);
    const wrong = createFileTokenStore({ folder, key: () => otherKey });
    await expect(wrong.get('a')).rejects.toMatchObject({ code: 'wrong-key' });
    await expect(wrong.set('a', 'new')).rejects.toMatchObject({ code: 'wrong-key' });
    await expect(wrong.set('b', 'new')).rejects.toMatchObject({ code: 'wrong-key' });
    await expect(createFileTokenStore({ folder }).get('a')).rejects.toMatchObject({ code: 'wrong-key' });
    expect(await createFileTokenStore({ folder, key: () => Promise.resolve(key) }).get('a')).toBe(secret);
  });

  it('makes its key of a passphrase, and tells a wrong one', async () => {
    const folder = await tokenFolder();
    await createFileTokenStore({ folder, key: { passphrase: 'correct horse' } }).set('a', secret);
    expect(await createFileTokenStore({ folder, key: { passphrase: 'correct horse' } }).get('a')).toBe(secret);
    const wrong = createFileTokenStore({ folder, key: { passphrase: 'incorrect horse' } }).get('a');
    await expect(wrong).rejects.toMatchObject({ code: 'wrong-key' });
    await expect(wrong).rejects.not.toThrow(/horse/);
  });

  it.each([
    ['a short key', { key: new Uint8Array(16) }],
    ['a short passphrase', { key: { passphrase: 'short' } }],
  ])('refuses %s', async (_, options) => {
    const folder = await tokenFolder();
    await expect(createFileTokenStore({ folder, ...options }).get('a')).rejects.toMatchObject({
      code: 'invalid-argument',
    });
  });

  it('says that the key is gone in place of making another one', async () => {
    const folder = await tokenFolder();
    await createFileTokenStore({ folder }).set('a', secret);
    await rename(join(folder, 'key'), `${folder}-key`);
    await expect(createFileTokenStore({ folder }).get('a')).rejects.toMatchObject({ code: 'wrong-key' });
    await rename(`${folder}-key`, join(folder, 'key'));
    expect(await createFileTokenStore({ folder }).get('a')).toBe(secret);
  });

  it.each([
    ['cut', (text: string) => text.slice(0, -9)],
    [
      'changed in one place',
      (text: string) => `${text.slice(0, -6)}${text.at(-6) === 'A' ? 'B' : 'A'}${text.slice(-5)}`,
    ],
    ['empty', () => ''],
    ['something else', () => '{"access_token":"x"}'],
  ])(
    '[AUTHCL-27] answers corrupt to a file that is %s, writes nothing over it, and can delete it',
    async (_, damage) => {
      const folder = await tokenFolder();
      const store = createFileTokenStore({ folder, key });
      await store.set('a', secret);
      const path = await tokenFile(folder);
      const damaged = damage(await readFile(path, 'utf8'));
      await writeFile(path, damaged);
      await expect(store.get('a')).rejects.toMatchObject({ code: 'corrupt' });
      await expect(store.set('a', 'new')).rejects.toMatchObject({ code: 'corrupt' });
      expect(await readFile(path, 'utf8')).toBe(damaged);
      await store.delete('a');
      await store.set('a', 'new');
      expect(await store.get('a')).toBe('new');
    },
  );

  it('[AUTHCL-27] reads no file that was moved to another key', async () => {
    const folder = await tokenFolder();
    const store = createFileTokenStore({ folder, key });
    await store.set('a', secret);
    const first = await tokenFile(folder);
    await rename(first, `${folder}-a`);
    await store.set('b', 'of b');
    await rename(`${folder}-a`, await tokenFile(folder));
    await expect(store.get('b')).rejects.toMatchObject({ code: 'corrupt' });
  });

  it('never shows half of a value to whoever reads while it is written', async () => {
    const folder = await tokenFolder();
    const store = createFileTokenStore({ folder, key });
    const values = ['x'.repeat(200_000), 'y'.repeat(100_000)];
    await store.set('a', values[0] ?? '');
    const write = async (): Promise<void> => {
      for (let round = 0; round < 20; round += 1) await store.set('a', values[round % 2] ?? '');
    };
    const read = async (): Promise<void> => {
      for (let round = 0; round < 60; round += 1) expect(values).toContain(await store.get('a'));
    };
    await Promise.all([write(), read()]);
    expect((await readdir(folder)).filter((name) => name.endsWith('.new'))).toEqual([]);
  });

  it('[AUTHCL-21] removes what a writer left behind that was killed: its own with a key, all when the folder is opened', async () => {
    const folder = await tokenFolder();
    await createFileTokenStore({ folder, key }).set('a', secret);
    const path = await tokenFile(folder);
    const leftovers = async () => (await readdir(folder)).filter((name) => name.endsWith('.new'));
    const hourAgo = new Date(Date.now() - 3_600_000);
    for (const name of [`${path}.Aa.new`, join(folder, 'b.token.Bb.new'), join(folder, 'c.token.Cc.new')]) {
      await writeFile(name, await readFile(path), { mode: 0o600 });
    }
    const store = createFileTokenStore({ folder, key });
    await store.delete('a');
    expect((await leftovers()).toSorted()).toEqual(['b.token.Bb.new', 'c.token.Cc.new']);
    await utimes(join(folder, 'b.token.Bb.new'), hourAgo, hourAgo);
    await store.get('a');
    // Somebody may be writing the young one now.
    expect(await leftovers()).toEqual(['c.token.Cc.new']);
  });

  it('keeps no value over a million characters', async () => {
    const folder = await tokenFolder();
    await expect(createFileTokenStore({ folder, key }).set('a', 'x'.repeat(1024 * 1024 + 1))).rejects.toMatchObject({
      code: 'too-large',
    });
  });
});

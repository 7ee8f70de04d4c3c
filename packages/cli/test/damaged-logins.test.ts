import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openHome } from './open-home.ts';
import { openLoginServer } from './open-login-server.ts';

const half = (text: string): string => text.slice(0, text.length / 2);

describe('a damaged file of the logins', () => {
  it('is said before a browser opens, cleared by a logout, and the next login works', async () => {
    const server = await openLoginServer();
    const { login, run, folder } = await openHome();
    await login([server.url], 'mira');
    const names = (await readdir(folder)).filter((name) => name !== 'key');
    expect(names.length).toBe(5);
    for (const damaged of names) {
      const path = join(folder, damaged);
      await writeFile(path, half(await readFile(path, 'utf8')), { mode: 0o600 });
      const stuck = await run(['tools', '--url', server.url]);
      // What is damaged is either not needed for that, or said.
      if (stuck.exitCode === 0) expect(stuck.stderr).toBe('');
      else expect(stuck.stderr).toMatch(/damaged/);
      expect(await run(['logout', server.url])).toMatchObject({ exitCode: 0 });
      expect(await login([server.url], 'mira')).toMatchObject({ exitCode: 0 });
      expect(await run(['call', '--url', server.url, 'who'])).toMatchObject({ exitCode: 0, stdout: 'mira\n' });
    }
  });

  it('that all others need has a logout say that they are gone, and leaves nothing of them', async () => {
    const [first, second] = [await openLoginServer(), await openLoginServer()];
    const { login, run, folder } = await openHome();
    await login([first.url], 'mira');
    await login([second.url], 'noor');
    await writeFile(join(folder, 'store.json'), '{"keyId":', { mode: 0o600 });
    const stuck = await run(['logins']);
    expect(stuck.exitCode).toBe(2);
    expect(stuck.stderr).toContain(`${join(folder, 'store.json')} is damaged`);
    expect(stuck.stderr).toContain(`remove the folder ${folder}, and log in again`);
    expect((await run(['logout', first.url])).stdout).toContain('log in again to the others');
    await expect(readdir(folder)).rejects.toMatchObject({ code: 'ENOENT' });
    expect((await run(['logins', '--json'])).json()).toEqual([]);
    expect(await login([second.url], 'noor')).toMatchObject({ exitCode: 0 });
  });
});

describe('a key of the logins that is lost', () => {
  const variable = 'SWITCHYARD_LOGIN_PASSPHRASE';

  it.each([
    ['is empty', {}, (folder: string) => writeFile(join(folder, 'key'), '')],
    ['is no more there', {}, (folder: string) => rm(join(folder, 'key'))],
    [
      'is another one',
      {},
      (folder: string) => writeFile(join(folder, 'key'), Buffer.alloc(32, 7).toString('base64url')),
    ],
    [
      'was that of another passphrase',
      { [variable]: 'a passphrase to forget' },
      async (folder: string) => {
        const path = join(folder, 'store.json');
        const header = JSON.parse(await readFile(path, 'utf8')) as object;
        await writeFile(path, JSON.stringify({ ...header, keyId: 'of-another-passphrase' }));
      },
    ],
  ])('as it %s, has every verb say what to do, and that works', async (_, env: Record<string, string>, lose) => {
    const server = await openLoginServer();
    const { login, run, folder } = await openHome(env);
    await login([server.url], 'mira');
    await lose(folder);
    const before = await readdir(folder);
    for (const argv of [['logins'], ['logout', server.url], ['login', server.url, '--no-browser']]) {
      const ended = await run(argv);
      expect(ended).toMatchObject({ exitCode: 2, stdout: '' });
      expect(ended.stderr).toContain(`what is stored is lost, tokens and registrations of clients alike`);
      expect(ended.stderr).toContain(`remove the folder ${folder}, and log in again`);
      expect(ended.stderr).toContain(`${variable}, which is ${variable in env ? 'set' : 'not set'}.`);
    }
    expect(await readdir(folder)).toEqual(before);
    await rm(folder, { recursive: true });
    expect(await login([server.url], 'mira')).toMatchObject({ exitCode: 0 });
  });
});

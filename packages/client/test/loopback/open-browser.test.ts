import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openBrowser } from '../../src/node/open-browser.ts';

/** A folder with one command in it, which writes its arguments down, one a line, and ends. */
async function folderWith(command: string, exitCode = 0): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'switchyard-browser-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const path = join(folder, command);
  await writeFile(path, `#!/bin/sh\nprintf '%s\\n' "$@" > '${folder}/arguments'\nexit ${exitCode}\n`);
  await chmod(path, 0o755);
  return folder;
}

describe.skipIf(process.platform === 'win32')('openBrowser', () => {
  it.each([
    ['linux', 'xdg-open', []],
    ['darwin', 'open', []],
    ['win32', 'rundll32', ['url.dll,FileProtocolHandler']],
  ])('has %s open the URL by %s, as one argument that no shell reads', async (platform, command, before) => {
    const folder = await folderWith(command);
    const url = new URL('https://as.example/?a=$(id)&b=`id`;\'"&c=%20|x');
    await openBrowser(url, { platform, env: { PATH: folder } });
    expect((await readFile(join(folder, 'arguments'), 'utf8')).trimEnd().split('\n')).toEqual([...before, url.href]);
  });

  it.each(['file:///etc/passwd', 'data:text/html,x', 'ftp://a.example/'])('starts nothing for %s', async (href) => {
    const folder = await folderWith('xdg-open');
    await expect(openBrowser(new URL(href), { platform: 'linux', env: { PATH: folder } })).rejects.toThrow(
      /begins with/,
    );
    await expect(readFile(join(folder, 'arguments'))).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('hands no variable of this program on, such as a passphrase', async () => {
    const folder = await folderWith('xdg-open');
    await writeFile(join(folder, 'xdg-open'), `#!/bin/sh\nenv > '${folder}/env'\n`);
    const env = { PATH: `${folder}:/usr/bin:/bin`, LANG: 'C', SWITCHYARD_LOGIN_PASSPHRASE: 'correct horse' };
    await openBrowser(new URL('https://as.example/'), { platform: 'linux', env });
    const seen = await readFile(join(folder, 'env'), 'utf8');
    expect(seen).toContain('LANG=C');
    expect(seen).not.toMatch(/SWITCHYARD|horse/);
  });

  it('says that the command is missing or failed, without the URL', async () => {
    const url = new URL('https://as.example/?state=s-1');
    const failing = await folderWith('xdg-open', 3);
    await expect(openBrowser(url, { platform: 'linux', env: { PATH: failing } })).rejects.toThrow(
      'xdg-open found no browser (exit 3)',
    );
    await expect(openBrowser(url, { platform: 'linux', env: { PATH: join(failing, 'none') } })).rejects.toThrow(
      'xdg-open could not be started (ENOENT)',
    );
  });
});

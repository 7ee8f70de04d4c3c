import { chmod, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createFileTokenStore } from '@switchyard/client/node';
import { describe, expect, it, vi } from 'vitest';
import { browse, freePort, openLoginServer } from './open-login-server.ts';
import { openHome } from './open-home.ts';
import { startRun } from './start-run.ts';
import { temporaryFolder } from './temporary-folder.ts';
import { untilTestEnds } from './until-test-ends.ts';

/** A client that somebody registered by hand. */
function byHand(secret: string) {
  return {
    client_id: 'by-hand',
    client_secret: secret,
    application_type: 'native' as const,
    redirect_uris: ['http://127.0.0.1/callback'],
    grant_types: ['authorization_code' as const, 'refresh_token' as const],
  };
}

describe('login', () => {
  it('logs in by the address that it prints, and every verb uses the login for that URL', async () => {
    const server = await openLoginServer();
    const { login, run } = await openHome();
    const ended = await login([server.url], 'mira');
    expect(ended).toMatchObject({ exitCode: 0 });
    expect(ended.stdout).toContain(`Logged in to ${server.url}.`);
    expect(ended.stderr).toContain(`Log in at ${server.issuer}.`);
    expect(await run(['call', '--url', server.url, 'who'])).toMatchObject({
      exitCode: 0,
      stdout: 'mira\n',
      stderr: '',
    });
    expect(await run(['tools', '--server', server.url, '--json'])).toMatchObject({ exitCode: 0, stderr: '' });
    expect(server.tokenRequests).toEqual(['authorization_code']);
    expect(server.registrations()).toBe(1);
  });

  it('takes a token for the check verb, too, and shows it nowhere in the report', async () => {
    const server = await openLoginServer();
    const { login, run } = await openHome();
    await login([server.url], 'mira');
    const ended = await run(['check', server.url, '--only', '1', '--json']);
    expect(ended.stdout).not.toMatch(/HTTP 401|eyJ/);
    expect(ended.json()).toMatchObject({ checks: [{ number: 1, verdict: 'passed' }] });
  });

  it('refreshes a token that is about to end, without the user', async () => {
    const server = await openLoginServer({ ttl: 1 });
    const { login, run } = await openHome();
    await login([server.url], 'mira');
    await expect
      .poll(
        async () => {
          const ended = await run(['call', '--url', server.url, 'who']);
          expect(ended).toMatchObject({ exitCode: 0, stdout: 'mira\n' });
          return server.tokenRequests.slice(0, 2);
        },
        { timeout: 10_000 },
      )
      .toEqual(['authorization_code', 'refresh_token']);
  });

  it('asks for scopes beyond those that the server needs, and remembers them', async () => {
    const server = await openLoginServer();
    const { login, run } = await openHome();
    let asked: string | null = null;
    await login([server.url, '--scope', 'orders:write'], 'mira', (address, user) => {
      asked = new URL(address).searchParams.get('scope');
      return browse(address, user);
    });
    expect(String(asked).split(' ')).toContain('orders:write');
    expect((await run(['logins', '--json'])).json()).toMatchObject([{ url: server.url, scope: 'orders:write' }]);
  });

  it('uses a client that was registered by hand, whose secret comes from a variable and is shown nowhere', async () => {
    const secret = 'the secret of a client by hand, 0001';
    const server = await openLoginServer({ clients: [byHand(secret)] });
    const { login, run, folder } = await openHome({ CLIENT_SECRET: secret });
    const argv = [server.url, '--client-id', 'by-hand', '--client-secret-env', 'CLIENT_SECRET', '--json'];
    const ended = await login(argv, 'mira');
    expect(ended.json()).toMatchObject({ url: server.url, clientId: 'by-hand' });
    expect(server.registrations()).toBe(0);
    const listed = await run(['logins', '--json']);
    expect(await run(['call', '--url', server.url, 'who'])).toMatchObject({ exitCode: 0, stdout: 'mira\n' });
    const files = await Promise.all((await readdir(folder)).map((name) => readFile(join(folder, name), 'utf8')));
    for (const text of [ended.stdout, ended.stderr, listed.stdout, ...files]) expect(text).not.toContain(secret);
  });

  it('binds the token to a key with --dpop, and proves it with each request', async () => {
    const server = await openLoginServer({ dpop: 'required' });
    const { login, run } = await openHome();
    expect(await login([server.url, '--dpop'], 'mira')).toMatchObject({ exitCode: 0 });
    expect(await run(['call', '--url', server.url, 'who'])).toMatchObject({ exitCode: 0, stdout: 'mira\n' });
    expect((await run(['check', server.url])).stderr).toMatch(/bound to a key/);
  });

  it('[AUTHCL-28] comes back on the port that it is told', async () => {
    const server = await openLoginServer();
    const { login } = await openHome();
    let redirectUri: string | null = null;
    const free = await freePort();
    await login([server.url, '--port', String(free)], 'mira', (address, user) => {
      redirectUri = new URL(address).searchParams.get('redirect_uri');
      return browse(address, user);
    });
    expect(redirectUri).toBe(`http://127.0.0.1:${free}/callback`);
  });

  it('takes the address that the browser of another machine shows, pasted after another text', async () => {
    const server = await openLoginServer();
    const { run } = await openHome();
    const typed = Promise.withResolvers<string>();
    const lines = [Promise.resolve('hm?'), typed.promise];
    let said = '';
    const ended = await run(['login', server.url, '--no-browser'], {
      readLine: () => lines.shift() ?? Promise.reject(new Error('nothing more is typed')),
      onStderr(text) {
        said += text;
        const [, address = ''] = /\n\n(http\S+)\n\n/.exec(said) ?? [];
        if (address !== '' && text.includes('paste'))
          void browse(address, 'noor', true).then(typed.resolve, typed.reject);
      },
    });
    expect(ended).toMatchObject({ exitCode: 0 });
    expect(await run(['call', '--url', server.url, 'who'])).toMatchObject({ stdout: 'noor\n' });
  });

  it.skipIf(process.platform === 'win32')(
    'opens the browser by the command of the platform, and gives it no secret',
    async () => {
      const secret = 'the secret of a client by hand, 0002';
      const server = await openLoginServer({ clients: [byHand(secret)] });
      const bin = await untilTestEnds(temporaryFolder({}));
      const command = join(bin.path, process.platform === 'darwin' ? 'open' : 'xdg-open');
      await writeFile(command, `#!/bin/sh\nenv > '${bin.path}/env'\nprintf '%s' "$1" > '${bin.path}/opened'\n`);
      await chmod(command, 0o755);
      const { run } = await openHome({
        PATH: `${bin.path}:/usr/bin:/bin`,
        CLIENT_SECRET: secret,
        SWITCHYARD_LOGIN_PASSPHRASE: 'correct horse battery',
      });
      let visiting: Promise<unknown> | undefined;
      const ended = await run(['login', server.url, '--client-id', 'by-hand', '--client-secret-env', 'CLIENT_SECRET'], {
        onStderr: () => void (visiting ??= openedAddress(bin.path).then((address) => browse(address, 'mira'))),
      });
      await visiting;
      expect(ended).toMatchObject({ exitCode: 0 });
      expect(ended.stderr).toContain('where your browser opens now');
      const seen = await readFile(join(bin.path, 'env'), 'utf8');
      expect(seen).toContain('PATH=');
      expect(seen).not.toMatch(/0002|horse/);
    },
  );

  it('registers anew after a login that never came back, as of a client that the server forgot', async () => {
    const server = await openLoginServer();
    const { login } = await openHome();
    await login([server.url], 'mira');
    const stuck = await login([server.url, '--timeout', '0.3'], 'mira', () => Promise.resolve(''));
    expect(stuck.exitCode).toBe(2);
    expect(await login([server.url], 'mira')).toMatchObject({ exitCode: 0 });
    expect(server.registrations()).toBe(2);
  });

  it('ends when nobody logs in in time, and keeps nothing', async () => {
    const server = await openLoginServer();
    const { login, run } = await openHome();
    const ended = await login([server.url, '--timeout', '0.3'], 'mira', () => Promise.resolve(''));
    expect(ended.exitCode).toBe(2);
    expect((await run(['logins', '--json'])).json()).toEqual([]);
  });

  it('[AUTHCL-21] [AUTHCL-27] keeps tokens for the user alone, and none of them as it is', async () => {
    const server = await openLoginServer();
    const { login, run, folder } = await openHome({ SWITCHYARD_LOGIN_PASSPHRASE: 'correct horse battery' });
    await login([server.url], 'mira');
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
    for (const name of await readdir(folder)) {
      expect((await stat(join(folder, name))).mode & 0o777).toBe(0o600);
      expect(await readFile(join(folder, name), 'utf8')).not.toMatch(/eyJ|access|refresh|mira|127\.0\.0\.1/);
    }
    const locked = await startRun(['call', '--url', server.url, 'who'], {
      env: { XDG_CONFIG_HOME: join(folder, '../..') },
    });
    expect(locked.exitCode).toBe(2);
    expect(locked.stderr).toMatch(/encrypted with another key or passphrase|is not in/);
    expect(await run(['call', '--url', server.url, 'who'])).toMatchObject({ stdout: 'mira\n' });
  });

  it.each([
    [['login', 'mcp.example.com'], /is no URL of a server/],
    [['login', 'https://user:pass@mcp.example.com/mcp'], /needs no login/],
    [['login', 'https://mcp.example.com/mcp', '--client-secret-env', 'NAME'], /needs --client-id/],
    [
      ['login', 'https://mcp.example.com/mcp', '--client-id', 'c', '--client-secret-env', 'NAME'],
      /NAME names a variable/,
    ],
    [['login', 'https://m.example/', '--client-id', 'c', '--client-metadata-url', 'https://c.example/c'], /not both/],
  ])('refuses %j', async (argv, message) => {
    const { run } = await openHome();
    const ended = await run(argv);
    expect(ended).toMatchObject({ exitCode: 2, stdout: '' });
    expect(ended.stderr).toMatch(message);
    expect(ended.stderr).not.toContain('pass@');
  });

  it('says that there is no place for logins, and the other verbs go on without', async () => {
    expect((await startRun(['login', 'https://mcp.example.com/mcp'])).stderr).toMatch(/no place for logins: set HOME/);
    expect(await startRun(['logins', '--json'])).toMatchObject({ exitCode: 0, stdout: '[]\n' });
  });
});

describe('logout and logins', () => {
  it('lists logins without tokens, and forgets one with its tokens', async () => {
    const [first, second] = [await openLoginServer(), await openLoginServer()];
    const { login, run, folder } = await openHome();
    await login([first.url], 'mira');
    const before = (await readdir(folder)).length;
    await login([second.url], 'noor');
    const listed = await run(['logins']);
    for (const text of [first.url, second.url, first.issuer, second.issuer]) expect(listed.stdout).toContain(text);
    const out = await run(['logout', second.url, '--json']);
    expect(out.json()).toEqual({ url: second.url, loggedOut: true });
    expect((await run(['logins', '--json'])).json()).toMatchObject([
      { url: first.url, authorizationServer: first.issuer },
    ]);
    expect((await readdir(folder)).length).toBe(before);
    expect((await run(['call', '--url', second.url, 'who'])).exitCode).toBe(2);
    expect(await run(['call', '--url', first.url, 'who'])).toMatchObject({ stdout: 'mira\n' });
  });

  it('says that there is none to log out of, with the nearest', async () => {
    const server = await openLoginServer();
    const { login, run } = await openHome();
    expect((await run(['logout', server.url])).stderr).toMatch(/no login to .* See: switchyard logins/);
    await login([server.url], 'mira');
    expect((await run(['logout', `${server.url}s`])).stderr).toContain(`Did you mean ${server.url}?`);
  });
});

describe('a server that wants a token', () => {
  it('has the verb say how to log in', async () => {
    const server = await openLoginServer();
    const { run } = await openHome();
    const ended = await run(['tools', '--url', server.url]);
    expect(ended.exitCode).toBe(2);
    expect(ended.stderr).toContain(`log in with: switchyard login ${server.url}`);
    const machine = await run(['tools', '--url', server.url, '--json']);
    expect(machine.json()).toMatchObject({ error: { kind: 'unauthorized' } });
  });

  it('is not asked anew by a verb for a login that ended: the verb says how to log in', async () => {
    const server = await openLoginServer();
    const { login, run, folder } = await openHome();
    await login([server.url], 'mira');
    const store = createFileTokenStore({ folder });
    const key = `tokens ${encodeURIComponent(server.url)} authorization_code`;
    const tokens = JSON.parse((await store.get(key)) ?? '{}') as object;
    await store.set(key, JSON.stringify({ ...tokens, accessToken: 'a', refreshToken: 'r' }));
    const ended = await run(['tools', '--url', server.url]);
    expect(ended.exitCode).toBe(2);
    expect(ended.stderr).toContain(`log in with: switchyard login ${server.url}`);
  });

  it('gets the header that is given by hand in place of the stored login', async () => {
    const server = await openLoginServer();
    const { login, run } = await openHome();
    await login([server.url], 'mira');
    const ended = await run(['call', '--url', server.url, '--header', 'Authorization: Bearer wrong', 'who']);
    expect(ended.exitCode).toBe(2);
    expect(ended.stderr).toMatch(/HTTP 401.*with --header.*switchyard login/);
  });
});

function openedAddress(folder: string): Promise<string> {
  return vi.waitFor(() => readFile(join(folder, 'opened'), 'utf8'), { timeout: 10_000, interval: 20 });
}

import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { connect as connectSocket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type LoopbackRedirectOptions, openLoopbackRedirect } from '../../src/node/loopback-redirect.ts';
import { createManualClock } from '../manual-clock.ts';

const never = new AbortController().signal;
const login = new URL('https://as.example/authorize?client_id=c&state=s-1');

async function open(options: LoopbackRedirectOptions = {}) {
  const redirect = await openLoopbackRedirect({ openBrowser: false, ...options });
  onTestFinished(() => redirect.close());
  return redirect;
}

/** A request as a browser sends it, and what it gets; `fetch` would not let a test name another host. */
function ask(uri: string, query: string, { method = 'GET', host }: { method?: string; host?: string } = {}) {
  return new Promise<{ status: number; text: string; headers: NodeJS.Dict<string | string[]> }>((resolve, reject) => {
    const sent = httpRequest(`${uri}${query}`, { method, headers: host === undefined ? {} : { host } }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => (text += part));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text, headers: response.headers }));
    });
    sent.on('error', reject).end();
  });
}

describe('openLoopbackRedirect', () => {
  it('[AUTHCL-28] listens on 127.0.0.1 only, and says so in its redirect URI', async () => {
    const { uri } = await open({ path: '/done' });
    expect(uri).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/done$/);
    await expect(ask(uri.replace('127.0.0.1', '127.0.0.2'), '')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    expect((await open({ host: 'localhost' })).uri).toMatch(/^http:\/\/localhost:\d+\/callback$/);
  });

  it('answers where the browser came back to, once, and stops listening', async () => {
    const redirect = await open();
    const shown: string[] = [];
    const waiting = redirect.authorize(login, { signal: never, state: 's-1' });
    const answer = await ask(redirect.uri, '?code=c-9&state=s-1&iss=https%3A%2F%2Fas.example');
    const url = (await waiting) as URL;
    expect([...url.searchParams]).toEqual([
      ['code', 'c-9'],
      ['state', 's-1'],
      ['iss', 'https://as.example'],
    ]);
    expect(answer.status).toBe(200);
    expect(answer.text).toContain('You can close this window');
    expect(shown).toEqual([]);
    await expect(ask(redirect.uri, '?code=c-9&state=s-1')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });

  it('shows a page without script and without anything of the request, which no other page may frame or store', async () => {
    const redirect = await open();
    const waiting = redirect.authorize(login, { signal: never, state: 's-1' });
    const { text, headers } = await ask(redirect.uri, '?error=access_denied&error_description=%3Cb%3Ehi&state=s-1');
    await waiting;
    expect(text).not.toMatch(/script|access_denied|<b>|s-1/);
    expect(text).toContain('The login was not completed.');
    expect(headers).toMatchObject({
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    });
  });

  it.each([
    ['of another path', { path: '/other', query: '?code=c&state=s-1' }],
    ['with another state', { query: '?code=c&state=s-2' }],
    ['without a state', { query: '?code=c' }],
    ['with two states', { query: '?code=c&state=s-1&state=s-1' }],
    ['without a code or an error', { query: '?state=s-1' }],
    ['that is a POST', { query: '?code=c&state=s-1', method: 'POST' }],
    ['for the host of a page that leads here', { query: '?code=c&state=s-1', host: 'evil.example' }],
  ])(
    '[AUTHCL-29] answers 404 to a request %s, and goes on waiting',
    async (_, { path, query, ...more }: { path?: string; query: string; method?: string; host?: string }) => {
      const redirect = await open();
      const waiting = redirect.authorize(login, { signal: never, state: 's-1' });
      const uri = path === undefined ? redirect.uri : new URL(path, redirect.uri).href;
      expect((await ask(uri, query, more)).status).toBe(404);
      expect((await ask(redirect.uri, '?code=right&state=s-1')).status).toBe(200);
      expect(((await waiting) as URL).searchParams.get('code')).toBe('right');
    },
  );

  it('answers 404 while no login waits, and listens on the same port for a later one', async () => {
    const redirect = await open();
    expect((await ask(redirect.uri, '?code=c&state=s-1')).status).toBe(404);
    for (const code of ['first', 'second']) {
      const waiting = redirect.authorize(login, { signal: never, state: 's-1' });
      await expect
        .poll(() =>
          ask(redirect.uri, `?code=${code}&state=s-1`).then(
            ({ status }) => status,
            () => 0,
          ),
        )
        .toBe(200);
      expect(((await waiting) as URL).searchParams.get('code')).toBe(code);
    }
  });

  it('opens the browser at the URL that it shows, and goes on where there is none', async () => {
    const opened: string[] = [];
    const shown: string[] = [];
    const redirect = await open({
      openBrowser(url) {
        opened.push(url.href);
        return Promise.reject(new Error('no browser'));
      },
      onUrl: (url) => shown.push(url.href),
    });
    const waiting = redirect.authorize(login, { signal: never, state: 's-1' });
    await ask(redirect.uri, '?code=c&state=s-1');
    await waiting;
    expect(opened).toEqual([login.href]);
    expect(shown).toEqual([login.href]);
  });

  it.each(['file:///etc/passwd', 'javascript:alert(1)', 'vscode://open?state=s-1'])(
    'opens and shows nothing for an authorization server that names %s',
    async (href) => {
      const opened: string[] = [];
      const redirect = await open({
        openBrowser: (url) => Promise.resolve(void opened.push(url.href)),
        onUrl: (url) => opened.push(url.href),
      });
      await expect(redirect.authorize(new URL(href), { signal: never, state: 's-1' })).rejects.toThrow(/begins with/);
      expect(opened).toEqual([]);
    },
  );

  it('takes an address that the user pastes, asks again after another text, and then stops listening', async () => {
    const texts = [
      'what?',
      'http://127.0.0.1:1/callback?code=c&state=s-2',
      ' http://127.0.0.1:1/callback?code=p&state=s-1\n',
    ];
    const attempts: number[] = [];
    const redirect = await open({
      readPasted({ attempt }) {
        attempts.push(attempt);
        return Promise.resolve(texts[attempt - 1] ?? '');
      },
    });
    const url = (await redirect.authorize(login, { signal: never, state: 's-1' })) as URL;
    expect(url.searchParams.get('code')).toBe('p');
    expect(attempts).toEqual([1, 2, 3]);
    await expect(ask(redirect.uri, '')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });

  it('gives up a user who pastes something else five times', async () => {
    let asked = 0;
    const redirect = await open({ readPasted: () => Promise.resolve(`${(asked += 1)}`) });
    await expect(redirect.authorize(login, { signal: never, state: 's-1' })).rejects.toThrow(
      /what was pasted is not the address/,
    );
    expect(asked).toBe(5);
  });

  it('stops asking for a pasted address once the browser came back', async () => {
    let isStopped = false;
    const redirect = await open({
      readPasted: ({ signal }) =>
        new Promise((_, reject) => {
          signal.addEventListener('abort', () => {
            isStopped = true;
            reject(signal.reason as Error);
          });
        }),
    });
    const waiting = redirect.authorize(login, { signal: never, state: 's-1' });
    await ask(redirect.uri, '?code=c&state=s-1');
    await waiting;
    expect(isStopped).toBe(true);
  });

  it('ends after its time, when it is aborted, and when it is closed', async () => {
    const clock = createManualClock();
    const redirect = await open({ clock, timeoutMs: 60_000 });
    const late = redirect.authorize(login, { signal: never, state: 's-1' }).catch((error: unknown) => error);
    await clock.advance(60_000);
    expect(await late).toMatchObject({ message: 'nobody logged in within 60 s. Start again' });
    await expect(
      redirect.authorize(login, { signal: AbortSignal.abort(new Error('no more')), state: 's-1' }),
    ).rejects.toThrow('no more');
    const closed = redirect.authorize(login, { signal: never, state: 's-1' });
    await redirect.close();
    await expect(closed).rejects.toThrow('the redirect was closed');
    await expect(ask(redirect.uri, '')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });

  it('[AUTHCL-29] knows the state of a login whose parameters were pushed, so that nobody else ends it', async () => {
    const redirect = await open();
    const pushed = new URL('https://as.example/authorize?client_id=c&request_uri=urn:x');
    const waiting = redirect.authorize(pushed, { signal: never, state: 's-1' });
    expect((await ask(redirect.uri, '?error=x&state=guess')).status).toBe(404);
    expect((await ask(redirect.uri, '?code=c&state=s-1')).status).toBe(200);
    expect(((await waiting) as URL).searchParams.get('code')).toBe('c');
  });

  it('answers the browser, however many connections others hold open and say nothing on', async () => {
    const redirect = await open();
    const waiting = redirect.authorize(login, { signal: never, state: 's-1' });
    const sockets = Array.from({ length: 40 }, () => connectSocket(Number(new URL(redirect.uri).port), '127.0.0.1'));
    for (const socket of sockets) socket.on('error', () => undefined);
    onTestFinished(() => sockets.forEach((socket) => void socket.destroy()));
    await Promise.all(sockets.map((socket) => once(socket, 'connect')));
    expect((await ask(redirect.uri, '?code=c&state=s-1')).status).toBe(200);
    await waiting;
  });

  it.each([0, -1, Number.NaN, 2 ** 31, Infinity])(
    'refuses a time of %d ms, which no timer keeps',
    async (timeoutMs) => {
      await expect(openLoopbackRedirect({ timeoutMs })).rejects.toThrow(/timeoutMs/);
    },
  );

  it('tries its ports in order, and says which where none is free', async () => {
    const first = await open();
    const port = Number(new URL(first.uri).port);
    const second = await open({ ports: [port, 0] });
    expect(new URL(second.uri).port).not.toBe(String(port));
    await expect(openLoopbackRedirect({ ports: [port] })).rejects.toThrow(`${port} (EADDRINUSE)`);
  });
});

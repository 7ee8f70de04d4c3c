import { describe, expect, it } from 'vitest';
import type { InputHandlers, UrlAsk } from '../../src/index.ts';
import { failure } from '../expect-failure.ts';
import { startHttpServer } from '../scripted-http-server.ts';
import { asks, done, page, responsesOf, serveAsking, warnings } from './asking-peer.ts';

type Handler = NonNullable<InputHandlers['elicitUrl']>;

async function open(request: object, elicitUrl: Handler = () => Promise.resolve({ action: 'accept' })) {
  const seen: UrlAsk[] = [];
  const served = await serveAsking((_message, round) => (round > 1 ? done : asks({ a: request })), {
    elicitUrl(ask) {
      seen.push(ask);
      return elicitUrl(ask);
    },
  });
  return { ...served, seen, call: () => served.client.callTool('link'), sent: () => responsesOf(served, 1) };
}

describe('a page', () => {
  it('[ELI-14] [ELI-17] [ELI-20] [ELI-22] comes with who asks, why, the whole URL, and its host apart', async () => {
    const url = 'https://pay.example:8443/link?state=abc&return=https%3A%2F%2Fbank.example#top';
    const { call, seen } = await open(page(url, { elicitationId: 'e1' }));
    await call();
    expect(seen).toMatchObject([
      {
        kind: 'url',
        server: 'depot',
        trust: 'untrusted',
        message: 'Link your account',
        url,
        host: 'pay.example:8443',
        concerns: [],
        completed: undefined,
        interrupts: { method: 'tools/call', name: 'link', arguments: {} },
      },
    ]);
  });

  it.each([
    ['https://xn--pypal-4ve.com/', 'https://xn--pypal-4ve.com/', ['punycode']],
    ['https://p\u0430ypal.com/login', 'https://xn--pypal-4ve.com/login', ['punycode']],
    ['https://bank.example@evil.example/', 'https://bank.example@evil.example/', ['userinfo']],
    ['http://shop.example/', 'http://shop.example/', ['not-https']],
    ['http://127.0.0.1:8080/', 'http://127.0.0.1:8080/', []],
    ['http://localhost/', 'http://localhost/', []],
    ['http://[::1]:9/', 'http://[::1]:9/', []],
    ['https://198.51.100.7/', 'https://198.51.100.7/', ['ip-address']],
    ['https:evil.example', 'https://evil.example/', ['rewritten']],
    ['https:///evil.example', 'https://evil.example/', ['rewritten']],
    ['https://%65vil.example/', 'https://evil.example/', ['rewritten']],
    ['https://\uff45vil.example/', 'https://evil.example/', ['rewritten']],
    ['HTTPS://A.Example:443', 'https://a.example/', []],
    ['https://0xC6336407/', 'https://198.51.100.7/', ['ip-address', 'rewritten']],
    ['https:\\\\evil.example\\@bank.example', 'https://evil.example/@bank.example', ['rewritten']],
    ['https://evil.example/\u202ecod.exe', 'https://evil.example/%E2%80%AEcod.exe', ['rewritten']],
  ])('[ELI-23] of %s is shown as %s with %j', async (written, url, concerns) => {
    const { call, seen } = await open(page(written));
    await call();
    expect(seen.map((ask) => [ask.url, ask.concerns])).toEqual([[url, concerns]]);
  });

  it.each([
    'javascript:alert(1)',
    'JaVaScRiPt:alert(1)',
    'data:text/html,x',
    'file:///etc/passwd',
    'vscode://x/y',
    'ms-settings:',
    '/relative',
    'https://',
    '',
    `https://a.example/${'x'.repeat(9000)}`,
  ])('[ELI-19] of %j is declined and never shown, with a warning', async (url) => {
    const { call, seen, sent } = await open(page(url));
    await call();
    expect([seen, sent()]).toEqual([[], { a: { action: 'decline' } }]);
    expect(warnings).toMatchObject([{ code: 'input-declined', server: 'depot' }]);
  });

  it('[ELI-18] [ELI-19] is fetched by nobody here, before consent or after it', async () => {
    await using server = await startHttpServer((_request, response) => void response.end());
    const { call, sent } = await open(page(server.url));
    await call();
    expect(sent()).toEqual({ a: { action: 'accept' } });
    expect([...server.received, ...server.gets]).toEqual([]);
  });

  it.each(['decline', 'cancel'] as const)('[ELI-10] [ELI-15] [ELI-27] may be answered with %s', async (action) => {
    const { call, sent } = await open(page('https://a.example'), () => Promise.resolve({ action }));
    await call();
    expect(sent()).toEqual({ a: { action } });
  });

  it('[ELI-10] [ELI-19] is consented to with `accept` alone, which carries no content', async () => {
    const given = await open(page('https://a.example'), () =>
      Promise.resolve({ action: 'accept', content: { x: 1 } } as never),
    );
    await given.call();
    expect(given.sent()).toEqual({ a: { action: 'accept' } });
    for (const answer of [undefined, true, {}, { action: 'opened' }]) {
      const { call, requests } = await open(page('https://a.example'), () => Promise.resolve(answer as never));
      expect((await failure(call())).code).toBe('invalid-argument');
      expect(requests()).toHaveLength(1);
    }
  });

  it('[ELI-25] leaves it to the user when the request is sent again, or given up', async () => {
    const user = Promise.withResolvers<'accept' | 'cancel'>();
    const { call, requests, sent } = await open(page('https://a.example'), async () => ({
      action: await user.promise,
    }));
    const calling = call();
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
    expect(requests()).toHaveLength(1);
    user.resolve('cancel');
    await calling;
    expect(sent()).toEqual({ a: { action: 'cancel' } });
  });
});

import { type Icon, metaKeys } from '@switchyard/protocol';
import { describe, expect, it } from 'vitest';
import {
  type Client,
  type ClientWarning,
  connect,
  type ConnectOptions,
  displayName,
  type Fetch,
} from '../../src/index.ts';
import { failure } from '../expect-failure.ts';
import { createManualClock } from '../manual-clock.ts';
import { createScriptedPeer, discovery } from '../scripted-peer.ts';
import { closeAfterwards } from '../serve-scripted.ts';
import { dataUrl, png, svg } from './images.ts';

interface Served {
  readonly client: Client;
  readonly warnings: ClientWarning[];
}

/** A server at an HTTPS URL whose tools have these icons. */
async function serveIcons(icons: readonly unknown[], options: ConnectOptions = {}, identity?: string): Promise<Served> {
  const warnings: ClientWarning[] = [];
  const peer = createScriptedPeer(({ id, method = '' }) => {
    const [, member = ''] = /^(\w+)\/list$/.exec(method) ?? [];
    if (member === '') return false;
    const entry = { name: 'a', uri: 'x://a', inputSchema: { type: 'object' }, icons };
    peer.answer(id, { resultType: 'complete', [member]: [entry] });
    return true;
  });
  const transport = { ...peer.transport, identity: identity ?? 'https://depot.example/mcp' };
  const client = await connect(transport, {
    name: 'depot',
    onWarning: (warning) => warnings.push(warning),
    ...options,
  });
  closeAfterwards(client);
  return { client, warnings };
}

const own = { src: 'https://depot.example/icon.png', sizes: ['48x48'], theme: 'dark' };
const inline = { src: dataUrl('image/png', png(8, 8)) };

const unsafe = [
  'javascript:alert(1)',
  'JavaScript:alert(1)',
  'java\nscript:alert(1)',
  'file:///etc/passwd',
  'ftp://depot.example/a.png',
  'ws://depot.example/a.png',
  'myapp://icon',
  'blob:https://depot.example/1',
  'http://depot.example/icon.png',
  'https://evil.example/icon.png',
  'https://depot.example.evil.example/icon.png',
  'https://depot.example:8443/icon.png',
  'https://user:secret@depot.example/icon.png',
  'data:text/html;base64,PHNjcmlwdD4=',
  'data:image/svg+xml,<svg onload="alert(1)"/>',
  'data:image/png,not-base64',
  '/icon.png',
  '',
  ' https://depot.example/icon.png',
  `data:image/png;base64,${'A'.repeat(1_600_000)}`,
];

describe('icons in lists', () => {
  it.each(unsafe)(
    '[ICON-03] [ICON-05] [ICON-08] are dropped with a warning, and their tool stays: %.50s',
    async (src) => {
      const { client, warnings } = await serveIcons([{ src }, own]);
      const { tools } = await client.listTools();
      expect(tools).toMatchObject([{ name: 'a', icons: [own] }]);
      expect(warnings.map(({ code }) => code)).toEqual(['unsafe-url']);
      expect(await failure(client.fetchIcon({ src }))).toMatchObject({ code: 'result-rejected' });
    },
  );

  it('[ICON-08] stay when they are of the origin of the server, or hold their image', async () => {
    const { client, warnings } = await serveIcons([own, inline]);
    for (const { icons } of [
      ...(await client.listTools()).tools,
      ...(await client.listResources()).resources,
      ...(await client.listPrompts()).prompts,
    ]) {
      expect(icons).toEqual([own, inline]);
    }
    expect(warnings).toEqual([]);
  });

  it('[ICON-08] stay when their origin is trusted', async () => {
    const icons = [{ src: 'https://cdn.example/a.png' }, { src: 'https://evil.example/a.png' }];
    const some = await serveIcons(icons, { icons: { trustedOrigins: ['https://cdn.example'] } });
    expect((await some.client.listTools()).tools[0]?.icons).toEqual([icons[0]]);
    const all = await serveIcons([...icons, { src: 'http://cdn.example/a.png' }], { icons: { trustedOrigins: 'any' } });
    expect((await all.client.listTools()).tools[0]?.icons).toEqual(icons);
  });

  it('[ICON-08] of a server without an origin have to hold their image', async () => {
    const { client } = await serveIcons([own, inline], {}, 'depot --stdio');
    expect((await client.listTools()).tools[0]?.icons).toEqual([inline]);
  });

  it('[ICON-03] [ICON-08] of the server itself are held to the same', async () => {
    const icons = [{ src: 'javascript:alert(1)' }, own];
    const serverInfo = { name: 'Depot', version: '1.0.0', icons };
    const result = { ...discovery, _meta: { [metaKeys.serverInfo]: serverInfo } };
    const peer = createScriptedPeer(({ id, method }) => {
      if (method !== 'server/discover') return false;
      peer.answer(id, result);
      return true;
    });
    const client = await connect({ ...peer.transport, identity: 'https://depot.example/mcp' });
    closeAfterwards(client);
    expect(client.serverInfo?.icons).toEqual([own]);
  });

  it('[ICON-06] are bounded in number', async () => {
    const { client } = await serveIcons(Array.from({ length: 100 }, () => own));
    expect((await client.listTools()).tools[0]?.icons).toHaveLength(32);
  });

  it('need trusted origins that are such', async () => {
    for (const origin of ['cdn.example', 'file:///x', '']) {
      await expect(serveIcons([], { icons: { trustedOrigins: [origin] } })).rejects.toMatchObject({
        code: 'invalid-argument',
      });
    }
  });
});

type Init = Parameters<Fetch>[1];

/** A fetch that answers by URL, and notes what it was given. */
function fetchOf(answers: {
  readonly [url: string]: { status?: number; headers?: Record<string, string>; body?: Uint8Array | string };
}): { readonly fetch: Fetch; readonly seen: { url: string; init: Init }[] } {
  const seen: { url: string; init: Init }[] = [];
  return {
    seen,
    fetch(url, init) {
      seen.push({ url, init });
      const { status = 200, headers = {}, body = '' } = answers[url] ?? { status: 404 };
      const hasBody = ![204, 301, 302, 304, 307, 308].includes(status);
      return Promise.resolve(new Response(hasBody ? Buffer.from(body) : null, { status, headers }));
    },
  };
}

const headers = { 'content-type': 'image/png' };

describe('an icon that is fetched', () => {
  it('[ICON-01] [ICON-07] comes without cookies, credentials and referrer, whatever the client has', async () => {
    const { client } = await serveIcons([], { headers: { authorization: 'Bearer secret-of-the-client' } });
    const { fetch, seen } = fetchOf({ [own.src]: { headers, body: png(48, 48) } });
    const icon = await client.fetchIcon(own as Icon, { fetch });
    expect(icon).toMatchObject({ type: 'image/png', size: { width: 48, height: 48, frames: 1 }, isSafe: true });
    expect(seen[0]?.init).toMatchObject({ method: 'GET', credentials: 'omit', referrerPolicy: 'no-referrer' });
    expect(Object.keys(seen[0]?.init.headers ?? {})).toEqual(['accept']);
  });

  it('[ICON-01] is read from its data URL without a request', async () => {
    const { client } = await serveIcons([]);
    const { fetch, seen } = fetchOf({});
    expect(await client.fetchIcon(inline, { fetch })).toMatchObject({ size: { width: 8 } });
    expect(seen).toEqual([]);
  });

  it.each([
    ['http://depot.example/other.png'],
    ['https://evil.example/other.png'],
    ['https://depot.example:444/other.png'],
    ['data:image/png;base64,AAAA'],
    ['file:///etc/passwd'],
  ])('[ICON-04] follows no redirect to %s', async (location) => {
    const { client } = await serveIcons([], { icons: { trustedOrigins: 'any' } });
    const { fetch, seen } = fetchOf({ [own.src]: { status: 302, headers: { location } } });
    expect(await failure(client.fetchIcon(own as Icon, { fetch }))).toMatchObject({ code: 'result-rejected' });
    expect(seen).toHaveLength(1);
  });

  it('[ICON-04] follows a redirect within its origin, and not for ever', async () => {
    const { client } = await serveIcons([]);
    const to = (location: string) => ({ status: 301, headers: { location } });
    const good = fetchOf({ [own.src]: to('/b.png'), 'https://depot.example/b.png': { headers, body: png(1, 1) } });
    expect(await client.fetchIcon(own as Icon, { fetch: good.fetch })).toMatchObject({ type: 'image/png' });
    const endless = fetchOf({ [own.src]: to(own.src) });
    expect((await failure(client.fetchIcon(own as Icon, { fetch: endless.fetch }))).code).toBe('result-rejected');
    expect(endless.seen).toHaveLength(4);
  });

  it.each([
    ['is too large', { headers, body: new Uint8Array(1024 * 1024 + 1) }, 'too-large'],
    [
      'says that it is too large',
      { headers: { ...headers, 'content-length': '99999999' }, body: png(1, 1) },
      'too-large',
    ],
    ['is not there', { status: 404, body: 'no' }, 'http-status'],
    ['is a redirect to nowhere', { status: 302 }, 'http-status'],
    ['is a page', { headers: { 'content-type': 'text/html' }, body: '<html>' }, 'result-rejected'],
    ['is a page that says it is an image', { headers, body: '<html>' }, 'result-rejected'],
    ['measures too much', { headers, body: png(5000, 1) }, 'result-rejected'],
    ['runs scripts', { headers: { 'content-type': 'image/svg+xml' }, body: svg('<script/>') }, 'result-rejected'],
  ] as const)('[ICON-05] [ICON-06] [ICON-09] is refused when it %s', async (_, answer, code) => {
    const { client } = await serveIcons([]);
    const { fetch } = fetchOf({ [own.src]: answer });
    expect(await failure(client.fetchIcon(own as Icon, { fetch }))).toMatchObject({ code, server: 'depot' });
  });

  it('[ICON-06] may not take for ever', async () => {
    const clock = createManualClock();
    const { client } = await serveIcons([], { clock });
    const never: Fetch = () => new Promise(() => undefined);
    const work = failure(client.fetchIcon(own as Icon, { fetch: never }));
    await clock.advance(10_000);
    expect(await work).toMatchObject({ code: 'timeout' });
    const broken: Fetch = () => Promise.reject(new TypeError('fetch failed'));
    expect((await failure(client.fetchIcon(own as Icon, { fetch: broken }))).code).toBe('connect-failed');
    const signal = AbortSignal.abort();
    expect((await failure(client.fetchIcon(own as Icon, { fetch: never, signal }))).code).toBe('aborted');
  });
});

it('[TOOL-16] the name to show is the title, that of the annotations, or the name', () => {
  expect(displayName({ name: 'n', title: 'T', annotations: { title: 'A' } })).toBe('T');
  expect(displayName({ name: 'n', annotations: { title: 'A' } })).toBe('A');
  expect(displayName({ name: 'n', annotations: {} })).toBe('n');
  expect(displayName({ name: 'n', title: ' ', annotations: { title: '' } })).toBe('n');
});

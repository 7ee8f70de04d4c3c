import type { HttpHead, LegacyOptions } from '@switchyard/server';
import { createServer, ProtocolError, silentLogger } from '@switchyard/server';
import { legacyRevisions } from '@switchyard/protocol';
import { describe, expect, it } from 'vitest';

import { headersOf } from '../http-route.ts';
import { requestOf } from '../wire.ts';
import { initializeOf, legacyRequest, type LegacyRoute, notificationOf, openLegacy } from './legacy-route.ts';
import { createLegacyServer } from './legacy-server.ts';

function open(legacy: LegacyOptions = {}, options: Parameters<typeof openLegacy>[2] = {}): Promise<LegacyRoute> {
  return openLegacy(createLegacyServer().server, legacy, options);
}

/** Who calls is what the header says. */
const byHeader = { authenticate: (head: HttpHead) => ({ subject: head.header('x-user') ?? '' }) };

describe('a session over HTTP', () => {
  it('[LEGS-01] [LEGS-06] [LEGB-05] begins with initialize, under an id that nobody can guess', async () => {
    const route = await open();
    const ids = new Set<string>();
    for (let turn = 0; turn < 3; turn += 1) {
      const answer = await route.post(initializeOf('2025-11-25'));
      expect(answer.status).toBe(200);
      expect((await answer.json()).result).toMatchObject({ protocolVersion: '2025-11-25', instructions: 'Be kind' });
      ids.add(answer.headers.get('mcp-session-id') ?? '');
    }
    expect([...ids]).toEqual(Array.from({ length: 3 }, () => expect.stringMatching(/^[\x21-\x7e]{43}$/) as string));
    expect(ids.size).toBe(3);
  });

  it.each(['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'])('serves every method at %s', async (revision) => {
    const peer = await (await open()).open(revision);
    expect((await peer.request('ping')).result).toEqual({});
    expect((await peer.request('tools/call', { name: 'greet', arguments: { name: 'Ada' } })).result).toMatchObject({
      content: [{ type: 'text', text: 'Hello, Ada!' }],
    });
    expect((await peer.request('resources/read', { uri: 'mem://one' })).result).toMatchObject({
      contents: [{ text: 'one' }],
    });
    expect((await peer.request('prompts/get', { name: 'greeting', arguments: { name: 'A' } })).result).toHaveProperty(
      'messages',
    );
    for (const method of ['tools/list', 'resources/list', 'resources/templates/list', 'prompts/list'])
      expect((await peer.request(method)).error).toBeUndefined();
  });

  it.each(['2031-01-01', 'banana', '2024-01-01'])('[version-02] answers 200 to initialize at %s', async (revision) => {
    const answer = await (await open()).post(initializeOf(revision));
    expect([answer.status, (await answer.json()).result?.['protocolVersion']]).toEqual([200, '2025-11-25']);
  });

  it('opens no session for an initialize that is none', async () => {
    const answer = await (await open()).post(legacyRequest('initialize', { capabilities: {} }));
    expect([answer.status, answer.headers.get('mcp-session-id')]).toEqual([200, null]);
    expect((await answer.json()).error).toMatchObject({ code: -32602 });
  });

  it('[LEGS-07] [LEGS-08] [session-02] answers 404 to a session that is unknown, 400 to none, and serves a modern request', async () => {
    const route = await open();
    const unknown = { headers: { 'mcp-session-id': 'never-issued' } };
    const list = legacyRequest('tools/list');
    const answers = [
      await route.post(list, unknown),
      await route.get(unknown),
      await route.delete(unknown),
      await route.post(list),
      await route.post(requestOf('tools/list'), { headers: headersOf(requestOf('tools/list'), unknown.headers) }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 400, 200]);
    expect(answers.map(({ headers }) => headers.get('mcp-session-id'))).toEqual([null, null, null, null, null]);
    expect(await answers[0]?.json()).toMatchObject({
      error: { message: expect.stringContaining('send initialize') as string },
    });
  });

  it('[LEGS-07] asks for the session id where the revision is named', async () => {
    const answer = await (
      await open()
    ).post(legacyRequest('tools/list'), { headers: { 'mcp-protocol-version': '2025-06-18' } });
    expect(answer.status).toBe(400);
    expect((await answer.json()).error?.message).toMatch(/MCP-Session-Id/);
  });

  it('[LEGS-09] ends with DELETE, after which it is unknown', async () => {
    const peer = await (await open()).open();
    const ended = await peer.delete();
    expect(ended.status).toBe(204);
    expect((await peer.post(legacyRequest('tools/list'))).status).toBe(404);
    expect((await peer.get()).status).toBe(404);
    expect((await peer.delete()).status).toBe(404);
  });

  it('[LEGS-16] [http-06] answers notifications and responses with 202 and no body', async () => {
    const peer = await (await open()).open();
    for (const message of [
      notificationOf('notifications/initialized'),
      notificationOf('notifications/vendor.example/ping', { x: 1 }),
      { jsonrpc: '2.0', id: 'never-asked', result: {} },
    ]) {
      const answer = await peer.post(message);
      expect([answer.status, await answer.events().next()]).toEqual([202, undefined]);
    }
  });

  it.each([undefined, '2025-03-26', '2025-11-25'])('[LEGS-17] takes the version header %s', async (version) => {
    const peer = await (await open()).open('2025-06-18');
    const answer = await peer.post(legacyRequest('ping'), { headers: { 'mcp-protocol-version': version } });
    expect(answer.status).toBe(200);
  });

  it.each(['2031-01-01', 'banana', ''])('[LEGS-17] refuses the version header %j', async (version) => {
    const route = await open();
    const peer = await route.open();
    for (const answer of [
      await route.post(initializeOf('2025-11-25'), { headers: { 'mcp-protocol-version': version } }),
      await peer.post(legacyRequest('ping'), { headers: { 'mcp-protocol-version': version } }),
      await peer.get({ headers: { 'mcp-protocol-version': version } }),
    ]) {
      expect(answer.status).toBe(400);
    }
  });

  it.each(legacyRevisions.slice(1))(
    '[LEGS-17] refuses the version header %s where it is not offered',
    async (version) => {
      const route = await open({ revisions: ['2025-11-25'] });
      const peer = await route.open();
      const other = { headers: { 'mcp-protocol-version': version } };
      const answers = [
        await route.post(initializeOf('2025-11-25'), other),
        await peer.post(legacyRequest('ping'), other),
        await peer.get(other),
        await peer.delete(other),
      ];
      expect(answers.map(({ status }) => status)).toEqual([400, 400, 400, 400]);
      expect((await answers[0]?.json())?.error?.message).toContain('2025-11-25');
      expect((await peer.request('ping')).result).toEqual({});
    },
  );

  it('[VER-18] refuses initialize under a modern version header, and names what is spoken', async () => {
    const answer = await (
      await open()
    ).post(initializeOf('2025-11-25'), { headers: { 'mcp-protocol-version': '2026-07-28' } });
    expect(answer.status).toBe(400);
    expect((await answer.json()).error).toMatchObject({ code: -32022, data: { supported: ['2026-07-28'] } });
  });

  it('[VER-17] gives modern errors to what claims to be modern', async () => {
    const peer = await (await open()).open();
    for (const [message, headers] of [
      [legacyRequest('tools/list'), { 'mcp-protocol-version': '2026-07-28' }],
      [legacyRequest('tools/list', { _meta: { 'io.modelcontextprotocol/clientCapabilities': {} } }), {}],
    ] as const) {
      const answer = await peer.post(message, { headers });
      expect([answer.status, (await answer.json()).error?.code]).toEqual([400, -32602]);
    }
    expect((await peer.get({ headers: { 'mcp-protocol-version': '2026-07-28' } })).status).toBe(405);
  });

  it('[LEGS-18] refuses a foreign Origin', async () => {
    const route = await open();
    const answer = await route.post(initializeOf('2025-11-25'), { headers: { origin: 'http://evil.example' } });
    expect(answer.status).toBe(403);
  });

  it('lets a page read the session id and use the methods', async () => {
    const route = await open();
    const headers = { origin: 'http://localhost:5173' };
    const answer = await route.post(initializeOf('2025-11-25'), { headers });
    expect(answer.headers.get('access-control-expose-headers')).toContain('MCP-Session-Id');
  });

  it('refuses initialize in a session, and a request whose id still runs', async () => {
    const { server } = createLegacyServer();
    const peer = await (await openLegacy(server)).open('2025-11-25', { elicitation: {} });
    expect((await peer.request('initialize', { protocolVersion: '2025-11-25' })).error).toMatchObject({ code: -32600 });
    const events = (await peer.post(legacyRequest('tools/call', { name: 'ask' }, 7))).events();
    await events.message();
    expect((await peer.request('ping', {}, 7)).error).toMatchObject({ code: -32600 });
  });

  it('answers errors with status 200, since a client takes 404 for the end of its session', async () => {
    const peer = await (await open()).open();
    const answer = await peer.post(legacyRequest('nope'));
    expect([answer.status, (await answer.json()).error?.code]).toEqual([200, -32601]);
  });

  it('keeps the status and the challenge of an error that refuses the caller', async () => {
    const server = createServer({ name: 'closed', version: '1.0.0' }, { logger: silentLogger }).tool(
      'secret',
      {},
      () => {
        throw new ProtocolError('invalidRequest', 'The token lacks a scope', {
          status: 403,
          headers: { 'www-authenticate': 'Bearer error="insufficient_scope"' },
        });
      },
    );
    const peer = await (await openLegacy(server)).open();
    const answer = await peer.post(legacyRequest('tools/call', { name: 'secret' }));
    expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([403, 'Bearer error="insufficient_scope"']);
  });

  it('answers what is no message as ever', async () => {
    const peer = await (await open()).open();
    const broken = await peer.post('{');
    expect([broken.status, (await broken.json()).error?.code]).toEqual([400, -32700]);
    const nobody = await peer.post({ jsonrpc: '2.0', id: null, method: 'ping' });
    expect([nobody.status, (await nobody.json()).error?.code]).toEqual([400, -32600]);
  });
});

describe('whose session it is', () => {
  it('is bound to the principal: another one’s is as good as none', async () => {
    const route = await open({}, byHeader);
    const ada = await route.open('2025-11-25', {}, { headers: { 'x-user': 'ada' } });
    const eve = { headers: { 'x-user': 'eve' } };
    expect((await ada.request('tools/call', { name: 'who' })).result?.['structuredContent']).toMatchObject({
      subject: 'ada',
    });
    expect((await ada.post(legacyRequest('tools/list'), eve)).status).toBe(404);
    expect((await ada.get(eve)).status).toBe(404);
    expect((await ada.delete(eve)).status).toBe(404);
    expect((await ada.request('ping')).result).toEqual({});
  });

  it('takes an answer to an ask from its own client alone', async () => {
    const { server } = createLegacyServer();
    const route = await openLegacy(server, {}, byHeader);
    const ada = await route.open('2025-11-25', { elicitation: {} }, { headers: { 'x-user': 'ada' } });
    const eve = await route.open('2025-11-25', { elicitation: {} }, { headers: { 'x-user': 'eve' } });
    const events = (await ada.post(legacyRequest('tools/call', { name: 'ask' }))).events();
    const ask = await events.message();
    const answer = (name: string) => ({ jsonrpc: '2.0', id: ask?.id, result: { action: 'accept', content: { name } } });
    expect((await eve.post(answer('Eve'))).status).toBe(202);
    expect((await ada.post(answer('Ada'))).status).toBe(202);
    expect((await events.message())?.result).toMatchObject({ content: [{ text: 'Hello, Ada!' }] });
  });
});

describe('how many sessions there are, and for how long', () => {
  function withClock(legacy: LegacyOptions = {}, options: Parameters<typeof openLegacy>[2] = {}) {
    let now = 0;
    const { server } = createLegacyServer({ now: () => now });
    return { route: openLegacy(server, legacy, options), pass: (ms: number) => (now += ms) };
  }

  it('ends one that went unused for too long', async () => {
    const { route, pass } = withClock({ idleMs: 1_000 });
    const peer = await (await route).open();
    pass(999);
    expect((await peer.request('ping')).result).toEqual({});
    pass(999);
    expect((await peer.request('ping')).result).toEqual({});
    pass(1_000);
    expect((await peer.post(legacyRequest('ping'))).status).toBe(404);
  });

  it('does not end one whose client listens', async () => {
    const { route, pass } = withClock({ idleMs: 1_000 });
    const peer = await (await route).open();
    const listening = await peer.get();
    pass(5_000);
    expect((await peer.request('ping')).result).toEqual({});
    listening.events().breakOff();
  });

  it('ends the one that was unused for longest when there are too many', async () => {
    const { route } = withClock({ maxSessions: 2 });
    const [first, second] = [await (await route).open(), await (await route).open()];
    await first.request('ping');
    const third = await (await route).open();
    expect((await second.post(legacyRequest('ping'))).status).toBe(404);
    for (const peer of [first, third]) expect((await peer.request('ping')).result).toEqual({});
  });

  it('refuses another one while all are in use', async () => {
    const { route } = withClock({ maxSessions: 1 });
    const peer = await (await route).open();
    const listening = await peer.get();
    const refused = await (await route).post(initializeOf('2025-11-25'));
    expect([refused.status, refused.headers.get('retry-after'), refused.headers.get('mcp-session-id')]).toEqual([
      503,
      '1',
      null,
    ]);
    listening.events().breakOff();
  });

  it('ends the oldest of a principal who has too many, and nobody else’s', async () => {
    const { route } = withClock({ maxSessionsPerCaller: 1 }, byHeader);
    const user = (name: string) => ({ headers: { 'x-user': name } });
    const ada = await (await route).open('2025-11-25', {}, user('ada'));
    const [first, second] = [
      await (await route).open('2025-11-25', {}, user('eve')),
      await (await route).open('2025-11-25', {}, user('eve')),
    ];
    expect((await first.post(legacyRequest('ping'))).status).toBe(404);
    for (const peer of [ada, second]) expect((await peer.request('ping')).result).toEqual({});
  });

  it('reads answers to asks when as much runs as may', async () => {
    const { server, traces } = createLegacyServer();
    const route = await openLegacy(server, {}, { maxRunningRequests: 1 });
    const peer = await route.open('2025-11-25', { elicitation: {} });
    const events = (await peer.post(legacyRequest('tools/call', { name: 'ask' }))).events();
    const ask = await events.message();
    const waiting = peer.post(legacyRequest('tools/call', { name: 'wait' }, 3));
    while (traces.runs < 2) await new Promise((resolve) => setImmediate(resolve));
    expect((await peer.request('tools/list', {}, 2)).error).toMatchObject({ code: -32603 });
    const answered = await peer.post({ jsonrpc: '2.0', id: ask?.id, result: { action: 'decline' } });
    expect(answered.status).toBe(202);
    expect((await events.message())?.result).toMatchObject({ content: [{ text: 'decline' }] });
    expect((await peer.delete()).status).toBe(204);
    expect((await (await waiting).json()).error).toMatchObject({ code: -32603 });
  });

  it.each([
    [{ maxSessions: 0 }, /maxSessions/],
    [{ idleMs: -1 }, /idleMs/],
    [{ retryMs: NaN }, /retryMs/],
    [{ maxBatchMessages: '5' as unknown as number }, /maxBatchMessages/],
    [{ revisions: [] }, /revisions/],
    [{ revisions: ['2026-07-28' as '2025-11-25'] }, /revisions/],
  ] satisfies [LegacyOptions, RegExp][])('refuses the options %j', async (options, problem) => {
    await expect(open(options)).rejects.toThrow(problem);
  });
});

describe('which revisions are offered', () => {
  it('negotiates among those that the option names', async () => {
    const route = await open({ revisions: ['2024-11-05', '2025-06-18'] });
    const negotiated = async (revision: string): Promise<unknown> =>
      (await (await route.post(initializeOf(revision))).json()).result?.['protocolVersion'];
    expect([await negotiated('2025-11-25'), await negotiated('2024-11-05')]).toEqual(['2025-06-18', '2024-11-05']);
  });
});

describe('batches over HTTP', () => {
  const batch = [legacyRequest('ping', {}, 1), notificationOf('notifications/x'), legacyRequest('tools/list', {}, 2)];

  it('[LEGS-19] [jsonrpc-07] are answered with an array at 2025-03-26', async () => {
    const peer = await (await open()).open('2025-03-26');
    const answer = await peer.post(batch);
    expect(answer.status).toBe(200);
    expect(await answer.json()).toMatchObject([{ id: 1, result: {} }, { id: 2 }]);
  });

  it('[LEGS-16] get 202 when nothing in them is to be answered', async () => {
    const peer = await (await open()).open('2025-03-26');
    expect(
      (await peer.post([notificationOf('notifications/initialized'), { jsonrpc: '2.0', id: 9, result: {} }])).status,
    ).toBe(202);
  });

  it('are answered on a stream when something precedes the answers', async () => {
    const peer = await (await open()).open('2025-03-26', { roots: {} });
    const events = (
      await peer.post([legacyRequest('tools/call', { name: 'roots' }, 1), legacyRequest('ping', {}, 2)])
    ).events();
    const ask = await events.message();
    expect(ask?.method).toBe('roots/list');
    await peer.post({ jsonrpc: '2.0', id: ask?.id, result: { roots: [] } });
    const answered = (await events.rest()).flat().map(({ id }) => id);
    expect(new Set(answered)).toEqual(new Set([1, 2]));
  });

  it.each([
    ['2025-06-18', batch],
    ['2025-11-25', batch],
    ['2025-03-26', []],
    ['2025-03-26', Array.from({ length: 101 }, (_, id) => legacyRequest('ping', {}, id))],
  ])('[LEGS-19] [jsonrpc-07] are refused: %s', async (revision, messages) => {
    const peer = await (await open()).open(revision);
    const answer = await peer.post(messages);
    expect([answer.status, (await answer.json()).error?.code]).toEqual([400, -32600]);
  });

  it('may not open a session', async () => {
    const answer = await (await open()).post([initializeOf('2025-03-26')]);
    expect([answer.status, answer.headers.get('mcp-session-id')]).toEqual([400, null]);
  });
});

import type { Revision } from '@switchyard/protocol';
import { describe, expect, it } from 'vitest';
import { type Client, connect, type ConnectOptions, createVerdictCache, type EraVerdict } from '../../src/index.ts';
import type { SharedRestarts } from '../../src/negotiate/restart-policy.ts';
import { failure } from '../expect-failure.ts';
import { closeAfterwards } from '../serve-http.ts';
import { createManualClock } from '../manual-clock.ts';
import {
  type Answer,
  discoveryTo,
  type Fetched,
  greetingTo,
  resultTo,
  saying,
  scriptFetch,
} from '../http/scripted-fetch.ts';

const legacyPrior: EraVerdict = { era: 'legacy', revision: '2025-11-25' };
const modernPrior: EraVerdict = { era: 'modern', revision: '2026-07-28' };

/** A server that may be updated or set back while it is known. */
function startServer(
  first: 'modern' | 'legacy',
): ReturnType<typeof scriptFetch> & { era: 'modern' | 'legacy'; sessions: number } {
  const state = { era: first, sessions: 1 };
  const scripted = scriptFetch((request) => (state.era === 'modern' ? modern(request) : legacy(request)));
  return Object.assign(state, scripted);

  function legacy(request: Fetched): Answer {
    const { headers, httpMethod } = request;
    if (httpMethod === 'GET') return { status: 405 };
    const id = `s-${state.sessions}`;
    const start = greetingTo(request, id);
    if (start !== undefined) return start;
    if (headers['mcp-session-id'] === undefined) {
      const error = { code: -32000, message: 'Bad Request: no session' };
      return { status: 400, headers: json, body: JSON.stringify({ jsonrpc: '2.0', id: null, error }) };
    }
    if (headers['mcp-session-id'] !== id) return { status: 404 };
    return ok(request);
  }

  function modern(request: Fetched): Answer {
    const { message, httpMethod, headers } = request;
    if (httpMethod !== 'POST') return { status: 405 };
    if (headers['mcp-protocol-version'] !== '2026-07-28') {
      const error = { code: -32022, message: 'no', data: { supported: ['2026-07-28'] } };
      return { status: 400, headers: json, body: JSON.stringify({ jsonrpc: '2.0', id: message.id, error }) };
    }
    return discoveryTo(request) ?? ok(request);
  }
}

const json = { 'content-type': 'application/json' };
const ok = (request: Fetched): Answer =>
  resultTo(request, { tools: [], ttlMs: 0, cacheScope: 'private', ...saying('done') });

async function reach(server: ReturnType<typeof startServer>, options: ConnectOptions = {}): Promise<Client> {
  const { fetch } = server;
  return closeAfterwards(await connect('http://depot.test/mcp', { name: 'depot', fetch, ...options }));
}

const withoutGets = (methods: readonly string[]): readonly string[] => methods.filter((method) => method !== 'GET');

describe('what was learned of a server', () => {
  it('[VER-12] [VER-13] is a JSON value that saves the probe of a legacy server when it is given back', async () => {
    const server = startServer('legacy');
    const { verdict } = await reach(server);
    const kept = JSON.parse(JSON.stringify(verdict)) as EraVerdict;
    expect(kept).toEqual(legacyPrior);
    const before = withoutGets(server.methods()).length;
    expect((await reach(server, { prior: kept })).era).toBe('legacy');
    expect(withoutGets(server.methods()).slice(before)).toEqual(['initialize', 'notifications/initialized']);
  });

  it('is corrected at the start where the server is modern now', async () => {
    const server = startServer('modern');
    const client = await reach(server, { prior: legacyPrior });
    expect(client).toMatchObject({ era: 'modern', verdict: modernPrior });
    expect(withoutGets(server.methods())).toEqual(['initialize', 'server/discover']);
  });

  it('is corrected at the start where the server is legacy now', async () => {
    const client = await reach(startServer('legacy'), { prior: modernPrior });
    expect(client).toMatchObject({ era: 'legacy', verdict: legacyPrior });
  });

  it.each([401, 403, 429, 503])('[version-04] is not contradicted by %i, which ends the start', async (status) => {
    // No start waits as long as that.
    const { fetch, methods } = scriptFetch(() => ({ status, headers: { 'retry-after': '3600' } }));
    const error = await failure(connect('http://depot.test/mcp', { fetch, prior: legacyPrior }));
    expect(error.status).toBe(status);
    expect(methods()).toEqual(['initialize']);
  });

  it.each([500, 501])('[version-04] is looked into once after %i, which is evidence of no era', async (status) => {
    const { fetch, methods } = scriptFetch(() => ({ status }));
    const error = await failure(connect('http://depot.test/mcp', { fetch, prior: legacyPrior }));
    expect(error.status).toBe(status);
    expect(methods()).toEqual(['initialize', 'server/discover']);
  });

  it('is looked into once where there is silence, which is evidence of no era', async () => {
    const { fetch, methods } = scriptFetch(() => new Promise<Answer>(() => undefined));
    const clock = createManualClock();
    const start = failure(connect('http://depot.test/mcp', { fetch, clock, prior: legacyPrior }));
    await clock.advance(15_000);
    expect((await start).code).toBe('timeout');
    expect(methods()).toEqual(['initialize', 'server/discover']);
  });

  it.each<unknown>([
    null,
    'legacy',
    { era: 'ancient', revision: '2025-11-25' },
    { era: 'legacy', revision: '2026-07-28' },
    { era: 'modern', revision: '2025-11-25' },
  ])('counts as nothing where it is %j', async (prior) => {
    const server = startServer('legacy');
    await reach(server, { prior: prior as EraVerdict });
    expect(server.methods()[0]).toBe('server/discover');
  });

  it('is shared by clients that are given the same cache, and forgotten there when it proves wrong', async () => {
    const server = startServer('legacy');
    const verdicts = createVerdictCache();
    await reach(server, { verdicts });
    expect(verdicts.get('http://depot.test/mcp')).toEqual(legacyPrior);
    const before = withoutGets(server.methods()).length;
    await reach(server, { verdicts });
    expect(withoutGets(server.methods())[before]).toBe('initialize');
    server.era = 'modern';
    await reach(server, { verdicts });
    expect(verdicts.get('http://depot.test/mcp')).toEqual(modernPrior);
  });

  it('is kept for a bounded number of servers', () => {
    const verdicts = createVerdictCache({ maxEntries: 2 });
    for (const name of ['a', 'b', 'c']) verdicts.set(name, modernPrior);
    expect(['a', 'b', 'c'].map((name) => verdicts.get(name)?.era)).toEqual([undefined, 'modern', 'modern']);
    verdicts.set('b', undefined);
    expect(verdicts.get('b')).toBeUndefined();
  });
});

describe('a server that changes its era while a client knows it', () => {
  it('from legacy to modern serves the call that it refused in the old form, and every later one', async () => {
    const server = startServer('legacy');
    const client = await reach(server);
    server.era = 'modern';
    expect(await client.callTool('x')).toMatchObject({ content: [{ text: 'done' }] });
    expect(client).toMatchObject({ era: 'modern', revision: '2026-07-28' satisfies Revision, verdict: modernPrior });
    const before = server.requests.length;
    await client.callTool('x');
    expect(server.methods().slice(before)).toEqual(['tools/call']);
  });

  it('from modern to legacy, too', async () => {
    const server = startServer('modern');
    const client = await reach(server);
    server.era = 'legacy';
    expect(await client.callTool('x')).toMatchObject({ content: [{ text: 'done' }] });
    expect(client).toMatchObject({ era: 'legacy', verdict: legacyPrior });
    expect(
      server.requests.filter(({ message, headers }) => message.method === 'tools/call' && headers['mcp-session-id']),
    ).toHaveLength(1);
  });

  it('is found out once for all calls that it refuses', async () => {
    const server = startServer('modern');
    const client = await reach(server);
    server.era = 'legacy';
    await Promise.all(Array.from({ length: 10 }, () => client.callTool('x')));
    expect(server.methods().filter((method) => method === 'initialize')).toHaveLength(1);
  });

  it('is not suspected for a refusal that its own era has: one look, then none for ten seconds', async () => {
    const { fetch, methods } = scriptFetch((request) => discoveryTo(request) ?? { status: 404 });
    const clock = createManualClock();
    const client = closeAfterwards(await connect('http://depot.test/mcp', { fetch, clock }));
    for (let call = 0; call < 5; call += 1) expect((await failure(client.callTool('x'))).status).toBe(404);
    expect(methods().filter((method) => method === 'server/discover')).toHaveLength(2);
    expect(client.era).toBe('modern');
    await clock.advance(10_000);
    await failure(client.callTool('x'));
    expect(methods().filter((method) => method === 'server/discover')).toHaveLength(3);
  });

  it.each([
    [404, -32601],
    [400, -32602],
    [400, -32021],
  ])('is not suspected for %i with %i, which modern servers answer', async (status, code) => {
    const { fetch, methods } = scriptFetch(
      (request) =>
        discoveryTo(request) ?? {
          status,
          headers: json,
          body: JSON.stringify({ jsonrpc: '2.0', id: request.message.id, error: { code, message: 'no' } }),
        },
    );
    const client = closeAfterwards(await connect('http://depot.test/mcp', { fetch }));
    await expect(client.callTool('x')).rejects.toMatchObject({ name: 'ProtocolError', code });
    expect(methods().filter((method) => method === 'server/discover')).toHaveLength(1);
  });

  it.each([
    ['200 with -32020', 200, -32020, undefined],
    ['400 with -32021', 400, -32021, undefined],
    ['400 with -32022 that offers the revision which was used', 400, -32022, ['2026-07-28', '2025-11-25']],
    ['200 with -32022', 200, -32022, ['2026-07-28']],
  ])(
    'is found out for later, and gets no call twice, where it answers one with %s',
    async (_what, status, code, supported) => {
      let isUpdated = false;
      const { fetch, requests } = scriptFetch((request) => {
        if (request.httpMethod === 'GET') return { status: 405 };
        if (!isUpdated) return greetingTo(request) ?? ok(request);
        const { headers, message } = request;
        if (headers['mcp-protocol-version'] === '2026-07-28') return discoveryTo(request) ?? ok(request);
        const error = { code, message: 'charged, then failed', data: { supported } };
        return { status, headers: json, body: JSON.stringify({ jsonrpc: '2.0', id: message.id, error }) };
      });
      const client = closeAfterwards(await connect('http://depot.test/mcp', { fetch }));
      isUpdated = true;
      const calls = (): number => requests.filter(({ message }) => message.method === 'tools/call').length;
      await expect(client.callTool('pay')).rejects.toMatchObject({ name: 'ProtocolError', code });
      expect(calls()).toBe(1);
      await expect.poll(() => client.era).toBe('modern');
      expect(await client.callTool('pay', {}, { isRepeatable: true })).toMatchObject({ content: [{ text: 'done' }] });
      expect(calls()).toBe(2);
    },
  );

  it('begins a life of its own as that, which the restart policy learns of', async () => {
    const server = startServer('legacy');
    const lives: string[][] = [];
    const restart: SharedRestarts = {
      reset: () => undefined,
      begin() {
        const life: string[] = [];
        lives.push(life);
        return { delayMs: 0, opened: () => void life.push('opened'), ended: () => void life.push('ended') };
      },
    };
    const client = await connect('http://depot.test/mcp', { fetch: server.fetch, restart });
    server.era = 'modern';
    await client.callTool('x');
    expect(lives).toEqual([['opened'], ['opened']]);
    await client.close();
    await expect
      .poll(() => lives)
      .toEqual([
        ['opened', 'ended'],
        ['opened', 'ended'],
      ]);
  });

  it('gets what is repeatable again, whatever refuses it', async () => {
    const server = startServer('legacy');
    const client = await reach(server);
    server.era = 'modern';
    expect(await client.listTools()).toMatchObject({ tools: [] });
    expect(client.era).toBe('modern');
  });

  it('gets no later round of a call that began in the other era', async () => {
    let isSetBack = false;
    const calls: string[] = [];
    const inputRequests = {
      q: {
        method: 'elicitation/create',
        params: { message: 'sure?', requestedSchema: { type: 'object', properties: {} } },
      },
    };
    const { fetch } = scriptFetch((request) => {
      const { message, httpMethod, headers } = request;
      if (httpMethod === 'GET') return { status: 405 };
      if (!isSetBack) {
        if (message.method === 'tools/call') calls.push('modern');
        return (
          discoveryTo(request) ?? resultTo(request, { resultType: 'input_required', requestState: 's', inputRequests })
        );
      }
      if (headers['mcp-session-id'] === undefined && message.method !== 'initialize') return { status: 400 };
      if (message.method === 'tools/call') calls.push('legacy');
      return greetingTo(request) ?? ok(request);
    });
    const elicitForm = () => {
      isSetBack = true;
      return Promise.resolve({ action: 'accept' as const, content: {} });
    };
    const client = closeAfterwards(await connect('http://depot.test/mcp', { fetch, input: { elicitForm } }));
    expect(await failure(client.callTool('order'))).toMatchObject({ status: 400, mayHaveRun: true });
    expect(calls).toEqual(['modern']);
    expect(client.era).toBe('legacy');
  });

  it('gets the headers of arguments with the call that it refused before', async () => {
    let isUpdated = false;
    const inputSchema = { type: 'object', properties: { region: { type: 'string', 'x-mcp-header': 'Region' } } };
    const refuse = ({ message }: Fetched, code: number): Answer => {
      const error = { code, message: 'no', data: { supported: ['2026-07-28'] } };
      return { status: 400, headers: json, body: JSON.stringify({ jsonrpc: '2.0', id: message.id, error }) };
    };
    const { fetch, methods } = scriptFetch((request) => {
      const { headers, message, httpMethod } = request;
      if (httpMethod === 'GET') return { status: 405 };
      if (!isUpdated) return greetingTo(request) ?? ok(request);
      if (headers['mcp-protocol-version'] !== '2026-07-28') return refuse(request, -32022);
      if (message.method === 'tools/list') {
        const tools = [{ name: 'x', inputSchema }];
        return resultTo(request, { tools, ttlMs: 0, cacheScope: 'private' });
      }
      if (message.method === 'tools/call' && headers['mcp-param-region'] !== 'eu') return refuse(request, -32020);
      return discoveryTo(request) ?? ok(request);
    });
    const client = closeAfterwards(await connect('http://depot.test/mcp', { fetch }));
    isUpdated = true;
    expect(await client.callTool('x', { region: 'eu' })).toMatchObject({ content: [{ text: 'done' }] });
    expect(methods().slice(-4)).toEqual(['server/discover', 'tools/call', 'tools/list', 'tools/call']);
  });

  it('is modern where it dropped the session and refuses to open another one', async () => {
    let isUpdated = false;
    const refuse = (code: number, id: unknown): Answer => ({
      status: 404,
      headers: json,
      body: JSON.stringify({ jsonrpc: '2.0', id, error: { code, message: 'no' } }),
    });
    const { fetch } = scriptFetch((request) => {
      if (request.httpMethod === 'GET') return { status: 405 };
      if (!isUpdated) return greetingTo(request) ?? ok(request);
      if (request.message.method === 'initialize') return refuse(-32601, request.message.id);
      if (request.headers['mcp-session-id'] !== undefined) return refuse(-32001, null);
      return discoveryTo(request) ?? ok(request);
    });
    const client = closeAfterwards(await connect('http://depot.test/mcp', { fetch }));
    isUpdated = true;
    expect(await client.callTool('x')).toMatchObject({ content: [{ text: 'done' }] });
    expect(client.era).toBe('modern');
  });
});

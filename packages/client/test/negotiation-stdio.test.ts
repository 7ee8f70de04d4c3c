import { afterEach, describe, expect, it } from 'vitest';
import { ProtocolError, type CallToolResult } from '@switchyard/protocol';
import {
  type Client,
  type ClientWarning,
  type ConnectOptions,
  createDuplexConnection,
  isResourceNotFound,
  type Transport,
} from '../src/index.ts';
import { connect } from '../src/node/index.ts';
import { failure } from './expect-failure.ts';
import { fixture } from './fixture-command.ts';
import { createManualClock, settle } from './manual-clock.ts';
import { createScriptedPeer, discovery, type Written } from './scripted-peer.ts';

const clients: Client[] = [];
const warnings: ClientWarning[] = [];

afterEach(async () => {
  warnings.length = 0;
  await Promise.all(clients.splice(0).map((client) => client.close()));
});

async function open(target: Parameters<typeof connect>[0], options: ConnectOptions = {}): Promise<Client> {
  const client = await connect(target, { name: 'depot', onWarning: (warning) => warnings.push(warning), ...options });
  clients.push(client);
  return client;
}

async function received(client: Client): Promise<Written[]> {
  const [block] = (await client.callTool('received')).content;
  const lines = JSON.parse(block?.type === 'text' ? block.text : '[]') as string[];
  return lines.map((line) => JSON.parse(line) as Written);
}

const initializeResult = (protocolVersion: unknown) => ({
  protocolVersion,
  capabilities: { tools: {} },
  serverInfo: { name: 'old', version: '1' },
});

describe('the era of a server on a duplex connection', () => {
  it.each(['code -32601', 'code -32602', 'code -32600', 'code -32000', 'code -32002', 'empty', 'silence'])(
    '[VER-11] [VER-16] [STDIO-19] [version-03] is legacy when server/discover gets: %s',
    async (onDiscover) => {
      const client = await open(fixture('legacy-server', onDiscover), { probeTimeoutMs: 200 });
      expect(client).toMatchObject({ era: 'legacy', revision: '2025-11-25', instructions: 'An old one.' });
      const methods = (await received(client)).map(({ method }) => method);
      expect(methods).toEqual(['server/discover', 'initialize', 'notifications/initialized', 'tools/call']);
    },
  );

  it.each(['exit', 'error-and-exit'])(
    '[STDIO-19] is legacy when the process ends on server/discover (%s): it is started again',
    async (onDiscover) => {
      const client = await open(fixture('legacy-server', onDiscover));
      expect(client.era).toBe('legacy');
      expect((await received(client)).map(({ method }) => method)).toEqual([
        'initialize',
        'notifications/initialized',
        'tools/call',
      ]);
    },
  );

  it('is legacy when a slow old server answers the late probe with an error', async () => {
    const client = await open(fixture('legacy-server', 'code -32601', '2025-11-25', '600'), { probeTimeoutMs: 100 });
    expect(client.era).toBe('legacy');
    expect(warnings).toEqual([]);
  });

  it('is modern when a slow modern server answers the late probe', async () => {
    const client = await open(fixture('slow-modern-server', '600'), { probeTimeoutMs: 100 });
    expect(client.era).toBe('modern');
    const methods = (await received(client)).map(({ method }) => method);
    expect(methods).toEqual(['server/discover', 'initialize', 'tools/call']);
    expect(warnings).toEqual([]);
  });

  it('[DISC-07] [VER-03] [VER-10] [version-03] stays modern on -32022: the same revision is tried again under a new id, and initialize is not', async () => {
    let discoveries = 0;
    const peer = createScriptedPeer(({ id, method }) => {
      if (method !== 'server/discover') return false;
      discoveries += 1;
      if (discoveries > 1) return false;
      const data = { supported: ['2026-07-28'], requested: '2027-01-01' };
      peer.send({ jsonrpc: '2.0', id, error: { code: -32022, message: 'Unsupported protocol version', data } });
      return true;
    });
    const client = await open(peer.transport);
    expect(client.era).toBe('modern');
    expect(peer.written.map(({ method }) => method)).toEqual(['server/discover', 'server/discover']);
    expect(new Set(peer.written.map(({ id }) => id)).size).toBe(2);
  });

  it.each([
    ['no list', undefined],
    ['a future revision', { supported: ['2027-01-01'] }],
    ['a legacy revision only', { supported: ['2025-11-25'] }],
    ['nonsense', { supported: [1, null] }],
    ['ours, and refuses it again', { supported: ['2026-07-28'] }],
  ])('[STDIO-19] is modern, but cannot be used, when -32022 offers %s', async (_name, data) => {
    const peer = createScriptedPeer(({ id, method }) => {
      if (method !== 'server/discover') return false;
      peer.send({ jsonrpc: '2.0', id, error: { code: -32022, message: 'no', data } });
      return true;
    });
    const error = await failure(open(peer.transport));
    expect(error).toMatchObject({ code: 'version', server: 'depot' });
    expect(error.message).toContain('2026-07-28');
    expect(peer.written.some(({ method }) => method === 'initialize')).toBe(false);
  });

  it.each([
    ['[VER-10] the revision which the call had', ['2026-07-28'], /names 2026-07-28 among those/],
    ['that and others', ['2026-07-28', '2025-11-25'], /contradict each other/],
    ['none of ours', ['2031-01-01'], /no protocol version is shared/],
  ])('gets no call twice where it refuses one with -32022 and offers %s', async (_what, supported, sentence) => {
    const peer = createScriptedPeer(({ id, method }) => {
      if (method !== 'tools/call') return false;
      peer.send({ jsonrpc: '2.0', id, error: { code: -32022, message: 'no', data: { supported, requested: 'x' } } });
      return true;
    });
    const client = await open(peer.transport);
    const error = await failure(client.callTool('pay'));
    expect(error).toMatchObject({ code: 'version', server: 'depot' });
    expect(error.message).toMatch(sentence);
    expect(error.mayHaveRun).toBe(supported.includes('2026-07-28'));
    expect(peer.written.filter(({ method }) => method === 'tools/call')).toHaveLength(1);
  });

  it.each([-32020, -32021])('[VER-10] is modern when the probe gets %i, which is handed on', async (code) => {
    const peer = createScriptedPeer(({ id }) => {
      peer.send({ jsonrpc: '2.0', id, error: { code, message: 'no' } });
      return true;
    });
    await expect(open(peer.transport)).rejects.toMatchObject({ name: 'ProtocolError', code });
    expect(peer.written).toHaveLength(1);
  });

  it('[DISC-08] is an error when a discovery names no revision of ours; both sides are listed', async () => {
    const peer = createScriptedPeer(({ id }) => {
      peer.answer(id, { ...discovery, supportedVersions: ['2031-01-01'] });
      return true;
    });
    const error = await failure(open(peer.transport));
    expect(error.code).toBe('version');
    expect(error.message).toMatch(/2031-01-01.*2026-07-28/s);
  });

  it('is an error with both reasons when the server knows neither request', async () => {
    const peer = createScriptedPeer(({ id }) => {
      peer.send({ jsonrpc: '2.0', id, error: { code: -32601, message: 'unknown method' } });
      return true;
    });
    const error = await failure(open(peer.transport));
    expect(error.code).toBe('version');
    expect(error.message).toContain('refused initialize with the error -32601 unknown method');
    expect(error.message).toContain('server/discover got the error -32601');
  });

  it('takes the probe time once more when a silent server refuses initialize, and then gives up', async () => {
    const clock = createManualClock();
    const peer = createScriptedPeer(({ id, method }) => {
      if (method === 'initialize') peer.send({ jsonrpc: '2.0', id, error: { code: -32601, message: 'unknown' } });
      return true;
    });
    const opening = failure(connect(peer.transport, { name: 'depot', clock, probeTimeoutMs: 1000 }));
    await clock.advance(1000);
    await clock.advance(1000);
    expect((await opening).code).toBe('version');
  });

  it('is modern when a slow server refuses initialize before it answers the probe', async () => {
    const clock = createManualClock();
    const peer = createScriptedPeer(({ id, method }) => {
      if (method === 'initialize') peer.send({ jsonrpc: '2.0', id, error: { code: -32601, message: 'unknown' } });
      return true;
    });
    const opening = connect(peer.transport, { name: 'depot', clock, probeTimeoutMs: 1000 });
    await clock.advance(1000);
    peer.answer(1, discovery);
    const client = await opening;
    clients.push(client);
    expect(client.era).toBe('modern');
    expect(peer.written.some(({ method }) => method === 'notifications/cancelled')).toBe(false);
  });

  it('gives up when the start time is over, whatever the server does', async () => {
    const clock = createManualClock();
    const peer = createScriptedPeer(() => true);
    const opening = failure(connect(peer.transport, { name: 'depot', clock }));
    await clock.advance(14_999);
    expect(peer.written.map(({ method }) => method)).toEqual(['server/discover', 'initialize']);
    await clock.advance(1);
    expect((await opening).message).toContain('startTimeoutMs');
    await settle();
    expect(peer.written).toHaveLength(2);
  });
});

describe('a legacy server on a duplex connection', () => {
  it('[LEGC-01] [LEGC-02] [LEGC-19] gets plain legacy shapes: no modern metadata, no modern methods', async () => {
    const client = await open(fixture('legacy-server'), { clientInfo: { name: 'probe', version: '0.1.0' } });
    const onProgress = (): void => undefined;
    await client.callTool(
      'ask',
      {},
      {
        meta: { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' },
        logLevel: 'info',
        onProgress,
      },
    );
    const written = await received(client);
    expect(written[1]).toMatchObject({
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'probe', version: '0.1.0' } },
    });
    expect(written[2]).toEqual({ jsonrpc: '2.0', method: 'notifications/initialized' });
    const call = written.find(({ params }) => params?.['name'] === 'ask');
    expect(call?.params?.['_meta']).toEqual({
      traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
      progressToken: call?.id,
    });
    expect(written.at(-1)?.params).not.toHaveProperty('_meta');
  });

  it('[LEGB-03] has its ping answered with {}, and every other request with -32601', async () => {
    const client = await open(fixture('legacy-server'));
    await client.callTool('ask');
    const answers = (await received(client)).filter(({ method }) => method === undefined);
    expect(answers).toMatchObject([
      { id: 'q1', result: {} },
      { id: 'q2', error: { code: -32601 } },
    ]);
    expect(warnings).toEqual([]);
  });

  it('may ping before it has answered initialize', async () => {
    const client = await open(fixture('legacy-server', 'ping-first'), { probeTimeoutMs: 100 });
    const answers = (await received(client)).filter(({ method }) => method === undefined);
    expect(answers).toMatchObject([{ id: 'p', result: {} }]);
  });

  it('[LEGC-17] has its results read in the modern shape: complete, lists stale and private', async () => {
    const client = await open(fixture('legacy-server'));
    expect(await client.listTools()).toMatchObject({ ttlMs: 0, cacheScope: 'private', leftOut: [] });
    const result: CallToolResult = await client.callTool('ask');
    expect(result).toEqual({ content: [], resultType: 'complete' });
  });

  it('answers discover from what initialize said', async () => {
    const client = await open(fixture('legacy-server'));
    expect(await client.discover()).toMatchObject({
      resultType: 'complete',
      supportedVersions: ['2025-11-25'],
      capabilities: { tools: {} },
      instructions: 'An old one.',
      _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'legacy-server', version: '0.9.0' } },
    });
  });

  it('[RES-11] [MSG-27] has -32002 read as resource not found', async () => {
    const client = await open(fixture('legacy-server'));
    const error: unknown = await client.readResource('depot://item/1').catch((reason: unknown) => reason);
    expect(isResourceNotFound(error)).toBe(true);
    expect(error).toMatchObject({ code: -32602, data: { uri: 'depot://item/1' } });
    expect(isResourceNotFound(new ProtocolError(-32002, 'not found'))).toBe(true);
    expect(isResourceNotFound(new ProtocolError(-32602, 'bad cursor'))).toBe(false);
  });

  it('[jsonrpc-07] may answer in a batch at 2025-03-26, and at no other revision', async () => {
    const seen: string[] = [];
    const options: ConnectOptions = { onNotification: ({ method }) => seen.push(method) };
    const client = await open(fixture('legacy-server', 'code -32601', '2025-03-26'), options);
    expect(await client.callTool('batch')).toMatchObject({ content: [{ text: 'from a batch' }] });
    expect(seen).toEqual(['notifications/tools/list_changed']);

    const newer = await open(fixture('legacy-server', 'code -32601', '2025-06-18'));
    expect((await failure(newer.callTool('batch', {}, { timeoutMs: 1000 }))).code).toBe('timeout');
    expect(warnings.map(({ code }) => code)).toEqual(['junk-output']);
  });

  it.each(['2025-06-18', '2025-03-26', '2024-11-05'])('[LEGC-01] [version-01] may choose %s', async (version) => {
    const client = await open(fixture('legacy-server', 'code -32601', version));
    expect(client.revision).toBe(version);
  });

  it.each(['1999-01-01', '', null, '2026-07-28', 5])(
    '[LEGC-04] [version-01] is left with an error that names its version when that is %j',
    async (version) => {
      const peer = createScriptedPeer(({ id, method }) => {
        if (method === 'initialize') peer.answer(id, initializeResult(version));
        else if (id !== undefined) peer.send({ jsonrpc: '2.0', id, error: { code: -32601, message: 'no' } });
        return true;
      });
      const error = await failure(open(peer.transport));
      expect(error.code).toBe('version');
      expect(error.message).toContain(JSON.stringify(version));
      expect(peer.written.map(({ method }) => method)).toEqual(['server/discover', 'initialize']);
    },
  );

  it('[LEGC-13] gets notifications/cancelled for a call that is given up, and none for initialize', async () => {
    const client = await open(fixture('legacy-server'));
    await failure(client.callTool('hang', {}, { timeoutMs: 50 }));
    const written = await received(client);
    const call = written.find(({ params }) => params?.['name'] === 'hang');
    const cancelled = written.filter(({ method }) => method === 'notifications/cancelled');
    expect(cancelled).toMatchObject([{ params: { requestId: call?.id, reason: 'timeout' } }]);
  });
});

describe('a start that takes too long', () => {
  it('tells how a process before it ended', async () => {
    const clock = createManualClock();
    let starts = 0;
    const transport: Transport = {
      name: 'deaf',
      open({ context, handlers }) {
        starts += 1;
        const isFirst = starts === 1;
        const duplex = createDuplexConnection({
          context,
          handlers,
          close: () => Promise.resolve(),
          write() {
            if (isFirst) duplex.end(context.fail('start-failed', 'it closed its stdin and goes on.'));
            return Promise.resolve();
          },
        });
        return Promise.resolve(duplex.connection);
      },
    };
    const starting = failure(open(transport, { clock, startTimeoutMs: 6000 }));
    await clock.advance(6000);
    const error = await starting;
    expect(error.code).toBe('timeout');
    expect(error.reason).toMatch(
      /the start was not done.*raise startTimeoutMs\. Before that, it closed its stdin and goes on\.$/,
    );
    expect(starts).toBe(2);
  });
});

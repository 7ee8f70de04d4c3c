import { createServer, type AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { type ClientErrorCode, connect } from '../../src/index.ts';
import { connect as connectNode } from '../../src/node/index.ts';
import { createScriptedPeer, discovery, type ScriptedPeer, type Written } from '../scripted-peer.ts';
import { expectAccepted, impatient, expectPeerError, expectRefused } from './outcome.ts';
import { answerText, closeAfterwards, httpJson, type RawReply, startRawServer } from './raw-server.ts';

/** What a server says to `server/discover` and to `initialize`; without an answer it is silent. */
interface Handshake {
  readonly discover?: object;
  readonly initialize?: object;
}

const unknown = { error: { code: -32601, message: 'Method not found' } };
const greeting = { protocolVersion: '2025-11-25', capabilities: {}, serverInfo: { name: 'old', version: '1' } };
const start: readonly ClientErrorCode[] = [
  'version',
  'invalid-response',
  'timeout',
  'http-status',
  'closed',
  'start-failed',
];

const lies: readonly (readonly [string, Handshake])[] = [
  ['is silent', {}],
  ['refuses everything', { discover: unknown, initialize: unknown }],
  [
    'speaks a revision of the future alone',
    { discover: { result: { ...discovery, supportedVersions: ['2099-01-01'] } } },
  ],
  ['speaks no revision', { discover: { result: { ...discovery, supportedVersions: [] } } }],
  [
    'says revisions that are numbers',
    { discover: { result: { ...discovery, supportedVersions: [1, null] } }, initialize: unknown },
  ],
  [
    'refuses the revision that it offers, again and again',
    { discover: { error: { code: -32022, message: 'no', data: { supported: ['2026-07-28'], requested: 'x' } } } },
  ],
  ['refuses every revision without offering one', { discover: { error: { code: -32022, message: 'no' } } }],
  [
    'asks for input before it says who it is',
    { discover: { result: { resultType: 'input_required', inputRequests: {} } }, initialize: unknown },
  ],
  [
    'says capabilities that are a text',
    { discover: { result: { ...discovery, capabilities: 'all' } }, initialize: unknown },
  ],
  [
    'answers initialize with an unknown revision',
    { discover: unknown, initialize: { result: { ...greeting, protocolVersion: '1999-01-01' } } },
  ],
  [
    'answers initialize with the modern revision',
    { discover: unknown, initialize: { result: { ...greeting, protocolVersion: '2026-07-28' } } },
  ],
  [
    'answers initialize with a revision of 1 MB',
    { discover: unknown, initialize: { result: { ...greeting, protocolVersion: 'x'.repeat(1_000_000) } } },
  ],
  ['answers initialize with no revision', { discover: unknown, initialize: { result: { capabilities: {} } } }],
  [
    'answers initialize with capabilities that are none',
    { discover: unknown, initialize: { result: { ...greeting, capabilities: 7 } } },
  ],
  ['answers initialize with an empty result', { discover: unknown, initialize: { result: {} } }],
  ['answers discover as legacy and is silent afterwards', { discover: unknown }],
];

/** A server in this process that shakes hands like this. */
function onDuplex(handshake: Handshake): ScriptedPeer {
  const peer: ScriptedPeer = createScriptedPeer(({ id, method }: Written) => {
    const answer =
      method === 'server/discover' ? handshake.discover : method === 'initialize' ? handshake.initialize : undefined;
    if (answer !== undefined && id !== undefined) peer.send({ jsonrpc: '2.0', id, ...answer });
    return true;
  });
  return peer;
}

describe('a server that shakes hands', () => {
  it.each(lies)('on a duplex connection and %s is refused in time, by name', async (_name, handshake) => {
    const { transport } = onDuplex(handshake);
    await expectRefused(connect(transport, { ...impatient, probeTimeoutMs: 50 }), 'version', ...start);
  });

  it.each(lies)('over HTTP and %s is refused in time, by name', async (_name, { discover, initialize }) => {
    const reply: RawReply = (socket, { id, method }) => {
      const answer = method === 'server/discover' ? discover : initialize;
      if (answer !== undefined) socket.write(httpJson(JSON.stringify({ jsonrpc: '2.0', id, ...answer })));
    };
    const server = await startRawServer(reply, false);
    await expectRefused(connectNode(server.url, { ...impatient, probeTimeoutMs: 50 }), 'version', ...start);
  });

  it('and needs a capability for it is refused with its own error, which names it', async () => {
    const data = { requiredCapabilities: { sampling: {} } };
    const { transport } = onDuplex({ discover: { error: { code: -32021, message: 'no', data } } });
    await expectPeerError(connect(transport, impatient), -32_021);
  });

  it('and says who it is with a terminal’s control characters is one all the same, and says so to nobody', async () => {
    const name = '\u001b[2Jevil\u202e\u200b';
    const peer = onDuplex({
      discover: { result: { ...discovery, _meta: { 'io.modelcontextprotocol/serverInfo': { name, version: '1' } } } },
    });
    const client = closeAfterwards(await expectAccepted(connect(peer.transport, impatient)));
    expect(client.name).toBe('depot');
    peer.sendText('{"jsonrpc":"2.0"}');
    await expectRefused(client.callTool('t'), 'timeout');
  });

  it('and calls its own members __proto__ and constructor pollutes nothing', async () => {
    const text =
      '{"jsonrpc":"2.0","id":ID,"__proto__":{"polluted":1},"result":{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}},"ttlMs":0,"cacheScope":"private"}}';
    const peer: ScriptedPeer = createScriptedPeer(({ id }) => {
      peer.sendText(text.replace('ID', String(id)));
      return true;
    });
    closeAfterwards(await expectAccepted(connect(peer.transport, impatient)));
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });

  it.each(['x'.repeat(20_000), 'a b', 'ünï', ''])('and gives the session id %j does not hang or crash', async (id) => {
    const reply: RawReply = (socket, request) => {
      if (request.method === 'server/discover')
        socket.write(httpJson(JSON.stringify({ jsonrpc: '2.0', id: request.id, ...unknown })));
      else if (request.method === 'initialize')
        socket.write(httpJson(answerText(request.id, greeting), '200 OK', `mcp-session-id: ${id}\r\n`));
      else socket.write('HTTP/1.1 202 Accepted\r\ncontent-length: 0\r\n\r\n');
    };
    const server = await startRawServer(reply, false);
    const connecting = connectNode(server.url, impatient).then(async (client) => client.close());
    await connecting.catch((error: unknown) => expect(String(error)).toContain('"depot"'));
    for (const { head } of server.received) expect(head.length).toBeLessThan(25_000);
  });

  it('and speaks no TLS where it is due, or answers it with garbage, is refused in time, by name', async () => {
    const server = await startRawServer(() => undefined, false);
    const garbage = createServer((socket) =>
      socket
        .on('error', () => undefined)
        .resume()
        .end(Buffer.alloc(4_000, 0xaa)),
    );
    await new Promise<void>((resolve) => {
      garbage.listen(0, '127.0.0.1', resolve);
    });
    closeAfterwards(garbage);
    const { port } = garbage.address() as AddressInfo;
    for (const url of [server.url.replace('http', 'https'), `https://127.0.0.1:${port}/mcp`]) {
      await expectRefused(connectNode(url, impatient), 'connect-failed', 'timeout');
    }
  });

  it('and floods requests as a legacy one gets some answers, and the next call works', async () => {
    const warnings: string[] = [];
    const peer = onDuplex({ discover: unknown, initialize: { result: greeting } });
    const onWarning = ({ message }: { readonly message: string }) => void warnings.push(message);
    const client = closeAfterwards(await expectAccepted(connect(peer.transport, { ...impatient, onWarning })));
    for (const method of ['ping', 'sampling/createMessage', 'roots/list', 'wallet/open']) {
      for (let id = 0; id < 5_000; id += 1) peer.send({ jsonrpc: '2.0', id: `${method}${id}`, method, params: {} });
    }
    const calling = client.callTool('t');
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
    const answers = peer.written.filter(({ method }) => method === undefined);
    expect(answers.length).toBeGreaterThan(0);
    expect(answers.length).toBeLessThan(1_000);
    expect(warnings.length).toBeLessThanOrEqual(1_000);
    peer.answer(peer.written.findLast(({ method }) => method === 'tools/call')?.id, { content: [] });
    expect(await expectAccepted(calling)).toMatchObject({ content: [] });
  });

  it('and drops each session that it gives fails the call after one renewal', async () => {
    let sessions = 0;
    const reply: RawReply = (socket, { id, method }) => {
      if (method === 'server/discover') socket.write(httpJson(JSON.stringify({ jsonrpc: '2.0', id, ...unknown })));
      else if (method === 'initialize') {
        sessions += 1;
        socket.write(httpJson(answerText(id, greeting), '200 OK', `mcp-session-id: s${sessions}\r\n`));
      } else if (method === 'tools/call') socket.write('HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n');
      else socket.write('HTTP/1.1 202 Accepted\r\ncontent-length: 0\r\n\r\n');
    };
    const server = await startRawServer(reply, false);
    const client = closeAfterwards(await expectAccepted(connectNode(server.url, impatient)));
    await expectRefused(client.callTool('t'), 'http-status');
    expect(sessions).toBe(2);
  });
});

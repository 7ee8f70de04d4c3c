import type { ServerResponse } from 'node:http';
import type { JsonObject } from '@switchyard/protocol';
import { describe, expect, it } from 'vitest';
import type { FormAsk } from '../../src/index.ts';
import { connect } from '../../src/node/index.ts';
import { type Received, sendJson, sendResult, startHttpServer } from '../scripted-http-server.ts';
import { closeAfterwards, stream } from '../serve-http.ts';
import { form } from './asking-peer.ts';

const event = (message: object): string => `data: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`;
const ask = (message: string): JsonObject => {
  const { method, params } = form({ sure: { type: 'boolean' } });
  return { id: 1, method, params: { ...(params as object), message } };
};

/** A form that waits for its answer. */
interface Shown {
  readonly ask: FormAsk;
  readonly yes: () => void;
}

/**
 * A legacy server over HTTP that asks one question in each call, under the same id in each of its sessions, and forgets
 * its sessions on demand; and a client whose forms the test answers.
 */
async function serveSessions() {
  let session = 1;
  const streams: ServerResponse[] = [];
  const ids: unknown[] = [];
  const waiting = new Map<number, (shown: Shown) => void>();
  const shown: Shown[] = [];
  const server = await startHttpServer((request, response) => {
    const { method, params = {} } = request.message;
    const id = request.headers['mcp-session-id'];
    if (method === 'server/discover') return sendJson(response, {}, 404);
    if (method === 'initialize') {
      const serverInfo = { name: 'old', version: '1' };
      const result = { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo };
      return sendResult(response, request, result, { 'mcp-session-id': `s${session}` });
    }
    if (id !== `s${session}`) return void response.writeHead(404).end();
    if (method !== 'tools/call') return void response.writeHead(202).end();
    stream(response);
    streams.push(response);
    ids.push(request.message.id);
    return void response.write(event(ask(String(params['name']))));
  });
  const client = await connect(closeAfterwards(server).url, {
    name: 'depot',
    input: {
      elicitForm: (asked) =>
        new Promise((resolve) => {
          const next = { ask: asked, yes: () => resolve({ action: 'accept', content: { sure: true } }) };
          waiting.get(shown.push(next))?.(next);
        }),
    },
  });
  closeAfterwards(client);
  return {
    client,
    streams,
    /** Ends the n-th call, beginning with 1. */
    end: (count: number) => streams[count - 1]?.end(event({ id: ids[count - 1], result: { content: [] } })),
    forget: () => (session += 1),
    /** The n-th form that was shown, beginning with 1. */
    form: (count: number): Promise<Shown> =>
      new Promise((resolve) => {
        const present = shown[count - 1];
        if (present === undefined) waiting.set(count, resolve);
        else resolve(present);
      }),
    answers: (): Received[] => server.received.filter(({ message }) => message.method === undefined && 'id' in message),
    accepted: () =>
      server.received
        .filter(({ message }) => message.result !== undefined)
        .map(({ headers, message }) => [headers['mcp-session-id'], message.result]),
  };
}

const aborted = ({ ask: { signal } }: Shown): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve());
  });
const ignored = (): undefined => undefined;

describe('a question of a legacy server over HTTP', () => {
  it.each([
    ['its stream broke', true],
    ['its stream stays open', false],
  ])('[LEGC-06] of a session that is lost is given up, and answers none of the next session: %s', async (_, breaks) => {
    const server = await serveSessions();
    const first = server.client.callTool('list', {}, { isRepeatable: false }).catch(ignored);
    const harmless = await server.form(1);
    if (breaks) {
      server.streams[0]?.destroy();
      await aborted(harmless);
    }
    server.forget();
    const second = server.client.callTool('delete').catch(ignored);
    const grave = await server.form(2);
    await aborted(harmless);
    expect(grave.ask.message).toBe('delete');
    harmless.yes();
    // What the old stream still asks is asked of nobody.
    server.streams[0]?.write(event({ ...ask('format'), id: 2 }));
    server.streams[0]?.write(event({ id: 3, method: 'ping' }));
    const refusals = (): unknown[] =>
      server
        .answers()
        .filter(({ message }) => message.id === 2)
        .map(({ headers, message }) => [headers['mcp-session-id'], message]);
    if (!breaks) await expect.poll(refusals).toMatchObject([['s1', { error: { code: -32603 } }]]);
    grave.yes();
    await expect.poll(server.accepted).toContainEqual(['s2', { action: 'accept', content: { sure: true } }]);
    expect(server.accepted().filter(([, result]) => JSON.stringify(result) !== '{}')).toHaveLength(1);
    expect(server.answers().filter(({ headers }) => headers['mcp-session-id'] === 's2')).toHaveLength(1);
    await server.client.close();
    await Promise.all([first, second]);
  });

  it('[LEGC-06] is given up, and the server told, when the call that it interrupts has ended', async () => {
    const server = await serveSessions();
    const call = server.client.callTool('list');
    const open = await server.form(1);
    server.end(1);
    expect(await call).toMatchObject({ content: [] });
    await aborted(open);
    await expect
      .poll(() => server.answers().map(({ message }) => message))
      .toMatchObject([{ id: 1, error: { code: -32603 } }]);
  });
});

import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import type { FormAsk } from '../../src/index.ts';
import { connect } from '../../src/node/index.ts';
import { failure } from '../expect-failure.ts';
import { type Received, sendJson, sendResult, startHttpServer } from '../scripted-http-server.ts';
import { closeAfterwards, stream } from '../serve-http.ts';
import { form } from './asking-peer.ts';

const event = (message: object): string => `data: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`;
const berth = form({ berth: { type: 'integer' } });

/** A legacy server over HTTP that answers tools/call by `call`, and takes answers to its own requests. */
async function serveLegacyHttp(
  call: (request: Received, response: ServerResponse) => void,
  onAnswer: () => void,
  statusOfAnswers = 202,
) {
  const server = await startHttpServer((request, response) => {
    const { method } = request.message;
    if (method === 'initialize') {
      const serverInfo = { name: 'old', version: '1' };
      return sendResult(
        response,
        request,
        { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo },
        { 'mcp-session-id': 's1' },
      );
    }
    if (method === 'tools/call') return call(request, response);
    if (method === 'server/discover') return sendJson(response, {}, 404);
    if (request.httpMethod === 'GET') return void response.writeHead(405).end();
    response.writeHead(method === undefined ? statusOfAnswers : 202).end();
    if (method === undefined && request.httpMethod === 'POST') onAnswer();
  });
  return closeAfterwards(server);
}

function cancellable() {
  const controller = new AbortController();
  return { signal: controller.signal, abort: () => controller.abort() };
}

describe('a request of a legacy server in the stream of a call', () => {
  it('[LEGC-05] [LEGC-06] [LEGC-12] knows the call that it interrupts, and is answered by a POST of its own', async () => {
    const seen: FormAsk[] = [];
    const streams = new Map<number, ServerResponse>();
    const server = await serveLegacyHttp(
      (request, response) => {
        stream(response);
        streams.set(request.message.id ?? 0, response);
        response.write(event({ id: `q${request.message.id}`, ...berth }));
      },
      () => {
        for (const [id, response] of streams) response.end(event({ id, result: { content: [] } }));
        streams.clear();
      },
    );
    const client = closeAfterwards(
      await connect(server.url, {
        name: 'depot',
        input: {
          elicitForm(ask) {
            seen.push(ask);
            return Promise.resolve({ action: 'accept', content: { berth: 2 } });
          },
        },
      }),
    );
    await client.callTool('moor', { ship: 'Ada' });
    await client.callTool('leave', { ship: 'Eve' });
    expect(seen.map(({ interrupts, round }) => [interrupts, round])).toEqual([
      [{ method: 'tools/call', name: 'moor', arguments: { ship: 'Ada' } }, 1],
      [{ method: 'tools/call', name: 'leave', arguments: { ship: 'Eve' } }, 1],
    ]);
    const answers = server.received.filter(
      ({ httpMethod, message }) => httpMethod === 'POST' && message.method === undefined,
    );
    expect(answers.map(({ message }) => message.result)).toEqual([
      { action: 'accept', content: { berth: 2 } },
      { action: 'accept', content: { berth: 2 } },
    ]);
    for (const { headers } of answers) {
      expect(headers).toMatchObject({ 'mcp-session-id': 's1', 'mcp-protocol-version': '2025-11-25' });
    }
  });

  it.each([403, 500, 503])('has a warning where its answer is refused with %i', async (status) => {
    const streams: ServerResponse[] = [];
    const server = await serveLegacyHttp(
      (request, response) => {
        stream(response);
        streams.push(response);
        response.write(event({ id: 'q', ...berth }));
      },
      () => undefined,
      status,
    );
    const warnings: string[] = [];
    const warned = Promise.withResolvers<void>();
    const client = closeAfterwards(
      await connect(server.url, {
        name: 'depot',
        input: { elicitForm: () => Promise.resolve({ action: 'accept', content: { berth: 2 } }) },
        onWarning({ code, message }) {
          warnings.push(`${code}: ${message}`);
          if (code === 'input-failed') warned.resolve();
        },
      }),
    );
    const { signal, abort } = cancellable();
    const call = failure(client.callTool('moor', {}, { signal }));
    await warned.promise;
    abort();
    expect((await call).code).toBe('aborted');
    expect(warnings.join()).toMatch(new RegExp(`depot.*does not take the answer to elicitation/create.*${status}`));
  });

  it('is given up with the call, and its handler told', async () => {
    const giveUp = new AbortController();
    const aborted = Promise.withResolvers<void>();
    const answered = Promise.withResolvers<void>();
    const server = await serveLegacyHttp((_request, response) => {
      stream(response);
      response.write(event({ id: 'q1', ...berth }));
    }, answered.resolve);
    const client = closeAfterwards(
      await connect(server.url, {
        name: 'depot',
        input: {
          elicitForm({ signal }) {
            signal.addEventListener('abort', () => aborted.resolve());
            giveUp.abort();
            return new Promise(() => undefined);
          },
        },
      }),
    );
    expect((await failure(client.callTool('moor', {}, { signal: giveUp.signal }))).code).toBe('aborted');
    await aborted.promise;
    await answered.promise;
    const answer = server.received.find(({ message }) => message.id !== undefined && message.method === undefined);
    expect(answer?.message).toMatchObject({ id: 'q1', error: { code: -32603 } });
  });
});

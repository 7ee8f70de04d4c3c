import { describe, expect, it } from 'vitest';
import type { ServerResponse } from 'node:http';
import { connect } from '../../src/node/index.ts';
import { failure } from '../expect-failure.ts';
import { discovered, type Received, said, sendResult } from '../scripted-http-server.ts';
import { closeAfterwards, serve } from '../serve-http.ts';

const toolList = { tools: [], ttlMs: 0, cacheScope: 'private' };

/** Hangs up on the first request after the start, by `hangUp`, and serves the next ones. */
function hangingUp(hangUp: (response: ServerResponse) => void): (request: Received, response: ServerResponse) => void {
  let isFirst = true;
  return (request, response) => {
    if (isFirst) {
      isFirst = false;
      hangUp(response);
    } else sendResult(response, request, request.message.method === 'tools/list' ? toolList : said('done'));
  };
}

describe.each<[string, (response: ServerResponse) => void]>([
  ['without an answer', (response) => void response.destroy()],
  ['with a reset', (response) => void response.socket?.resetAndDestroy()],
  [
    'in the middle of the answer',
    (response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
      response.write('{"jsonrpc"', () => response.destroy());
    },
  ],
])('a kept connection on which the server hangs up %s', (_how, hangUp) => {
  it('costs a list nothing', async () => {
    const { client, server } = await serve(hangingUp(hangUp));
    expect((await client.listTools()).tools).toEqual([]);
    expect(server.methods()).toEqual(['server/discover', 'tools/list', 'tools/list']);
  });

  it('ends a tool call as outcome-unknown, sent once, and the next one is answered', async () => {
    const { client, server } = await serve(hangingUp(hangUp));
    expect(await failure(client.callTool('pay'))).toMatchObject({ code: 'outcome-unknown', server: 'depot' });
    expect(server.methods()).toEqual(['server/discover', 'tools/call']);
    expect(await client.callTool('pay')).toMatchObject({ content: [{ text: 'done' }] });
  });
});

it('a server that is gone when a tool is called has not got the call', async () => {
  const { client, server } = await serve((request, response) => void discovered(request, response));
  await server[Symbol.asyncDispose]();
  expect((await failure(client.callTool('pay'))).code).toBe('connect-failed');
  expect((await failure(connect(server.url))).code).toBe('connect-failed');
  closeAfterwards(client);
});

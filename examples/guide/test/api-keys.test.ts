import { request } from 'node:http';

import { connect } from '@switchyard/client';
import { expect, it } from 'vitest';

import { createKey, serveNotes } from '../src/api-keys.ts';

/** The status and text of a request without a body under a name of the server. */
function knock(port: string, host: string, key: string): Promise<{ readonly status?: number; readonly text: string }> {
  return new Promise((resolve, reject) => {
    const headers = { host, 'x-api-key': key, 'content-type': 'application/json' };
    const sent = request(
      { host: '127.0.0.1', port, path: '/mcp', method: 'POST', headers, agent: false },
      (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (part: string) => (text += part));
        response.on('end', () => resolve({ ...(response.statusCode ? { status: response.statusCode } : {}), text }));
      },
    );
    sent.on('error', reject).end('{}');
  });
}

it('serves whoever has a key, under the names that it has', async () => {
  const mira = await createKey('mira');
  const bob = await createKey('bob');
  await using running = await serveNotes(0, [mira.stored, bob.stored]);
  const { port } = new URL(running.url);
  for (const [key, text] of [
    [mira.key, 'a note of mira'],
    [bob.key, 'a note of bob'],
  ] as const) {
    await using client = await connect(`http://127.0.0.1:${port}/mcp`, { headers: { 'x-api-key': key } });
    expect((await client.callTool('list_notes')).structuredContent).toEqual([text]);
  }
  expect(await knock(port, 'mcp.example.com', mira.key)).toMatchObject({ status: 400 });
  expect(await knock(port, 'other.example.com', mira.key)).toMatchObject({ status: 403 });
  expect(await knock(port, 'mcp.example.com', 'wrong')).toEqual({
    status: 401,
    text: expect.stringContaining('in the header x-api-key, and the one that was sent is not known'),
  });
});

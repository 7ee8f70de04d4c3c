import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

import type { JsonObject } from '@switchyard/protocol';
import { describe, expect, it, onTestFinished } from 'vitest';

import { toTranscript } from '../../src/index.ts';
import { openRawClient } from '../check/open-raw-client.ts';

/** A server that answers each message with what it got. */
async function serveEcho(): Promise<string> {
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const message = body === '' ? undefined : (JSON.parse(body) as JsonObject);
      const result = { message, headers: request.headers };
      response.writeHead(message === undefined ? 405 : 200, { 'content-type': 'application/json' });
      response.end(message === undefined ? '' : JSON.stringify({ jsonrpc: '2.0', id: message['id'], result }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
}

interface Echo {
  readonly message: { readonly id: number; readonly params: { readonly _meta: object } };
  readonly headers: { readonly [name: string]: string };
}

const echoOf = ({ response }: { readonly response: JsonObject | undefined }): Echo => response?.['result'] as Echo;

describe('a raw client', () => {
  it('gives each message an id of its own, its metadata, and the headers that mirror it', async () => {
    const client = openRawClient([await serveEcho()]);
    const inputSchema = { type: 'object', properties: { city: { type: 'string', 'x-mcp-header': 'City' } } };
    const params = { name: 'plan ü', arguments: { city: 'Lisbon' } };
    const first = echoOf(await client.request('first', 'tools/call', params, { inputSchema, progressToken: 'p' }));
    const second = echoOf(await client.request('second', 'tools/list'));
    expect([first.message.id, second.message.id]).toEqual([1, 2]);
    expect(first.message.params._meta).toEqual({
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'switchyard-check', version: '1.0.0' },
      'io.modelcontextprotocol/clientCapabilities': {},
      progressToken: 'p',
    });
    expect(first.headers).toMatchObject({
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': '=?base64?cGxhbiDDvA==?=',
      'mcp-param-city': 'Lisbon',
    });
    expect(second.headers).not.toHaveProperty('mcp-name');
  });

  it('sends what is no good request as it is, with headers changed or left out', async () => {
    const client = openRawClient([await serveEcho()]);
    const { message, headers } = echoOf(
      await client.send(
        'bad',
        { method: 'tools/list', params: {} },
        { headers: { 'mcp-method': undefined, 'mcp-protocol-version': '1999' } },
      ),
    );
    expect(message).toEqual({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} });
    expect(headers['mcp-protocol-version']).toBe('1999');
    expect(headers).not.toHaveProperty('mcp-method');
  });

  it('reaches each instance under its number, and keeps everything in order, requests without a message too', async () => {
    const urls = [await serveEcho(), await serveEcho()];
    const client = openRawClient(urls);
    await client.request('one', 'tools/list', {}, { instance: 2 });
    await client.head('two', 'GET', { 'last-event-id': 'x' });
    await client.request('three', 'tools/list');
    expect(client.exchanges.map(({ label, instance, status }) => [label, instance, status])).toEqual([
      ['one', 2, 200],
      ['two', 1, 405],
      ['three', 1, 200],
    ]);
    expect(toTranscript(client).entries[1]).toEqual({
      label: 'two',
      instance: 1,
      sent: { message: { http: 'GET' }, headers: { 'last-event-id': '[redacted]' } },
      received: { status: 405, contentType: 'application/json', messages: [] },
    });
  });
});

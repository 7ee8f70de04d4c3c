import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { execPath } from 'node:process';
import { text } from 'node:stream/consumers';
import type { JsonObject } from '@switchyard/protocol';
import type { RawConnectionTarget } from '../../src/index.ts';
import { listening } from './bad-proxy.ts';

/** Answers one request; `undefined` where it does so by itself, or never. */
export type Answer = (
  request: { readonly method: string; readonly id: number; readonly params: JsonObject },
  http: { readonly request: IncomingMessage; readonly response: ServerResponse },
) => JsonObject | undefined;

/** The answer to discovery of a server that has tools. */
export const discovery = {
  resultType: 'complete',
  supportedVersions: ['2026-07-28'],
  capabilities: { tools: {} },
  ttlMs: 0,
  cacheScope: 'private',
};
/** A list of one tool, with changes. */
export function toolList(tool: JsonObject = {}): JsonObject {
  const tools = [{ name: 'look', description: 'Looks', inputSchema: { type: 'object' }, ...tool }];
  return { resultType: 'complete', tools, ttlMs: 0, cacheScope: 'private' };
}
/** The answer to `initialize` of a server that has tools. */
export const greeting = {
  protocolVersion: '2025-06-18',
  capabilities: { tools: {} },
  serverInfo: { name: 'old', version: '1' },
};

/** A modern server that serves discovery and one tool, and the rest as it is told. */
export function answering(results: { readonly [method: string]: JsonObject }): Answer {
  const all: { readonly [method: string]: JsonObject } = {
    'server/discover': { result: discovery },
    'tools/list': { result: toolList() },
    ...results,
  };
  return ({ method }) => all[method] ?? { error: { code: -32601, message: 'Method not found' } };
}

/** Serves JSON-RPC over HTTP until the test ends, as badly as it is told, and answers its URL. */
export async function openBadServer(answer: Answer): Promise<string> {
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const message = (body === '' ? { method: 'GET' } : JSON.parse(body)) as JsonObject & {
        readonly id: number;
        readonly method: string;
      };
      const { id, method, params = {} } = message;
      const reply = answer({ id, method, params: params as JsonObject }, { request, response });
      if (reply === undefined) return;
      if (id === undefined) response.writeHead(method === 'GET' ? 405 : 202).end();
      else
        response
          .writeHead(200, { 'content-type': 'application/json' })
          .end(JSON.stringify({ jsonrpc: '2.0', id, ...reply }));
    });
  });
  return `${await listening(server)}/mcp`;
}

/** Answers every request over HTTP in the same way. */
export function saying(status: number, headers: { readonly [name: string]: string }, body = ''): Answer {
  return (_request, { response }) => {
    response.writeHead(status, headers).end(body);
    return undefined;
  };
}

/** Starts nothing yet: the program that speaks over stdio, with a few words to write its lines in. */
export function program(code: string): RawConnectionTarget {
  const head = `
    const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n');
    const discovery = ${JSON.stringify(discovery)}, greeting = ${JSON.stringify(greeting)}, tools = ${JSON.stringify(toolList())};
    const serve = (answer) => require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
      const request = JSON.parse(line);
      if (request.id === undefined) return;
      const reply = answer(request);
      if (reply !== undefined) send({ id: request.id, ...reply });
    });
    const modern = (results) => serve(({ method }) => {
      const all = { 'server/discover': { result: discovery }, 'tools/list': { result: tools }, ...results };
      const found = all[method] ?? { error: { code: -32601, message: 'Method not found' } };
      return typeof found === 'function' ? found() : found;
    });`;
  return { command: execPath, args: ['-e', head + code] };
}

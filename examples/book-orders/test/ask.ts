import type { Server } from '@switchyard/server';

import type { Message } from '../src/run.ts';

const version = 'io.modelcontextprotocol/protocolVersion';

/** Metadata of a good request, with other members where given. */
export function metaOf(more: object = {}): object {
  return { [version]: '2026-07-28', 'io.modelcontextprotocol/clientCapabilities': {}, ...more };
}

/** A call of `get_order`. `undefined` as metadata leaves it out. */
export function callOrder(args: object, meta: object | undefined = metaOf()): object {
  return requestOf('tools/call', { name: 'get_order', arguments: args }, meta);
}

/** A request with the id 1. */
export function requestOf(method: string, params: object, meta?: object): object {
  return { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: meta } };
}

/** Sends one message to the server in memory and answers its response. */
export async function ask(server: Server, message: object): Promise<Message> {
  const exchange = { signal: new AbortController().signal, send: () => undefined };
  return JSON.parse((await server.respond(JSON.stringify(message), exchange)) ?? 'null') as Message;
}

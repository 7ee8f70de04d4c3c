import type { ServerResponse } from 'node:http';
import type { CallToolResult } from '@switchyard/protocol';
import { afterEach } from 'vitest';
import type { Client, ClientWarning, ConnectOptions } from '../src/index.ts';
import { connect } from '../src/node/index.ts';
import { discovered, type Received, said, type ScriptedHttpServer, startHttpServer } from './scripted-http-server.ts';

const open: AsyncDisposable[] = [];

/** What the client of the current test warned of. */
export const warnings: ClientWarning[] = [];

afterEach(async () => {
  warnings.length = 0;
  for (const it of open.splice(0).reverse()) await it[Symbol.asyncDispose]();
});

/** Closes a client or a server after the test. */
export function closeAfterwards<T extends AsyncDisposable>(opened: T): T {
  open.push(opened);
  return opened;
}

/** A modern server whose tools/call is answered by `reply`. */
export async function serve(
  reply: (request: Received, response: ServerResponse) => void | Promise<void>,
  options: ConnectOptions = {},
): Promise<{ readonly client: Client; readonly server: ScriptedHttpServer }> {
  const server = await startHttpServer((request, response) => {
    if (!discovered(request, response)) return reply(request, response);
  });
  closeAfterwards(server);
  const client = await connect(server.url, {
    name: 'depot',
    onWarning: (warning) => warnings.push(warning),
    ...options,
  });
  closeAfterwards(client);
  return { client, server };
}

/** The text of the first block of a result. */
export function textOf(result: CallToolResult): string {
  const [block] = result.content;
  return block?.type === 'text' ? block.text : '';
}

/** The answer to a tool call, with a text. */
export const answerTo = ({ message }: Received, text = 'right'): string =>
  JSON.stringify({ jsonrpc: '2.0', id: message.id, result: { resultType: 'complete', ...said(text) } });

/** Begins an answer that is an event stream. */
export function stream(response: ServerResponse, type = 'text/event-stream'): void {
  response.writeHead(200, { 'content-type': type });
}

import { createServer, type IncomingMessage } from 'node:http';
import process from 'node:process';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

import worker from './worker.ts';

// Runs the worker on Node, which has fetch's Request and Response, but no server that speaks them.
const http = createServer((incoming, outgoing) => {
  const gone = new AbortController();
  outgoing.once('close', () => gone.abort());
  const answer = async (): Promise<void> => {
    const response = await worker.fetch(toRequest(incoming, gone.signal));
    outgoing.writeHead(response.status, [...response.headers].flat());
    if (response.body === null) outgoing.end();
    else await pipeline(response.body, outgoing);
  };
  answer().catch(() => outgoing.destroy());
});

http.listen(Number(process.env['PORT'] ?? 3000), '127.0.0.1', () => {
  const address = http.address();
  if (address !== null && typeof address === 'object') console.log(`http://127.0.0.1:${address.port}/mcp`);
});

function toRequest(incoming: IncomingMessage, signal: AbortSignal): Request {
  const { method = 'GET', url = '/', headersDistinct } = incoming;
  const headers = Object.entries(headersDistinct).flatMap(([name, values = []]) =>
    values.map((value): [string, string] => [name, value]),
  );
  const body = method === 'GET' || method === 'HEAD' ? null : Readable.toWeb(incoming);
  return new Request(`http://${incoming.headers.host ?? '127.0.0.1'}${url}`, {
    method,
    headers,
    body,
    duplex: 'half',
    signal,
  });
}

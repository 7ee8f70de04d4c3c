import { request as httpRequest } from 'node:http';

import { type HttpOptions, type Server, toFetch } from '@switchyard/server';
import { serveHttp } from '@switchyard/server/node';
import { onTestFinished } from 'vitest';

import { type Received, type Sent, version } from './wire.ts';

/** One HTTP request, byte for byte. */
export interface HttpCall {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** The caller goes away when it aborts. */
  readonly signal?: AbortSignal;
}

/** One HTTP response, read to its end. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: { readonly [name: string]: string };
  readonly text: string;
}

/** A server behind HTTP. */
export interface Route {
  call(call: HttpCall): Promise<HttpAnswer>;
}

/** The two ways in which a server is served over HTTP; every rule holds for both. */
export const routes: readonly [name: string, open: (server: Server, options?: HttpOptions) => Promise<Route>][] = [
  ['node:http', openNodeRoute],
  ['fetch', openFetchRoute],
];

/** The headers that a right client sends with a request, with other or (as `undefined`) without members. */
export function headersOf(
  message: { readonly method: string; readonly params?: { readonly [key: string]: unknown } },
  more: { readonly [name: string]: string | undefined } = {},
): Record<string, string> {
  const name = message.params?.[message.method === 'resources/read' ? 'uri' : 'name'];
  const headers: { readonly [name: string]: string | undefined } = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': version,
    'mcp-method': message.method,
    ...(typeof name === 'string' ? { 'mcp-name': name } : {}),
    ...more,
  };
  return Object.fromEntries(
    Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}

/** A right POST of a request, with other headers where given. */
export function postOf(message: Sent, headers: { readonly [name: string]: string | undefined } = {}): HttpCall {
  return { headers: headersOf(message, headers), body: JSON.stringify(message) };
}

/** The one JSON message of a response. */
export function messageOf(answer: HttpAnswer): Received {
  return JSON.parse(answer.text) as Received;
}

/** The messages of an event stream. */
export function eventsOf(text: string): Received[] {
  return text
    .split('\n\n')
    .flatMap((event) => event.split('\n').filter((line) => line.startsWith('data: ')))
    .map((line) => JSON.parse(line.slice(6)) as Received);
}

/** Serves over a real `node:http` server until the test is over. */
export async function openNodeRoute(server: Server, options: HttpOptions = {}): Promise<Route & { readonly url: URL }> {
  const running = await serveHttp(server, { port: 0, ...options });
  onTestFinished(() => running.close({ graceMs: 0 }));
  const url = new URL(running.url);
  return {
    url,
    call: ({ method = 'POST', path = url.pathname, headers = {}, body, signal }) =>
      new Promise((resolve, reject) => {
        const request = httpRequest(
          { host: url.hostname, port: url.port, method, path, headers, agent: false, ...(signal && { signal }) },
          (response) => {
            const chunks: Buffer[] = [];
            response.on('data', (chunk: Buffer) => chunks.push(chunk));
            response.on('error', reject);
            response.on('end', () => {
              resolve({
                status: response.statusCode ?? 0,
                headers: response.headers as { [name: string]: string },
                text: Buffer.concat(chunks).toString('utf8'),
              });
            });
          },
        );
        request.on('error', reject);
        request.end(body);
      }),
  };
}

/** Serves through the fetch handler, without a network. */
export function openFetchRoute(server: Server, options: HttpOptions = {}): Promise<Route> {
  const serve = toFetch(server, options);
  return Promise.resolve({
    async call({ method = 'POST', path = '/mcp', headers = {}, body, signal }) {
      const response = await serve(
        new Request(`http://127.0.0.1:7420${path}`, {
          method,
          headers,
          ...(body === undefined || method === 'GET' ? {} : { body }),
          ...(signal && { signal }),
        }),
      );
      return {
        status: response.status,
        headers: Object.fromEntries(response.headers),
        text: await response.text(),
      };
    },
  });
}

import {
  createServer as createHttpServer,
  type IncomingMessage,
  type Server as HttpServer,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';

import { ProtocolError } from '@switchyard/protocol';

import type { Server } from '../create-server.ts';
import type { Endpoint } from '../endpoint.ts';
import { errorText } from '../error-reply.ts';
import type { HttpOptions } from '../http/http-handler.ts';
import { isLoopback } from '../http/loopback.ts';
import { createOriginPolicy } from '../http/origin-policy.ts';
import { toMilliseconds } from '../milliseconds.ts';
import { createPinoLogger } from './pino-logger.ts';
import { dropBody, endpointToNode, NodeHead } from './to-node.ts';

const IDLE_CHECK_MS = 10;

/** Where a server listens. */
export interface ServeHttpOptions extends HttpOptions {
  /** Default 3000; 0 takes a free port. */
  readonly port?: number;
  /** Default 127.0.0.1. Any other than a loopback one (see `isLoopback`) needs `authenticate`. */
  readonly host?: string;
  /** Path of the endpoint, without a query: default `/mcp`. Every other path is 404. */
  readonly path?: string;
}

/** A server that listens. */
export interface RunningServer extends AsyncDisposable {
  /** The endpoint's URL with the port that was taken. */
  readonly url: string;
  /** Stops listening, lets running requests finish for `graceMs` (default 1,000), then closes their connections. */
  close(options?: { readonly graceMs?: number }): Promise<void>;
}

/**
 * Serves a server over Streamable HTTP.
 *
 * Spec: basic/transports/streamable-http (2026-07-28).
 *
 * @throws TypeError when the address is not a loopback one and nobody authenticates, or an option is out of range or is no path; the
 *   error of `listen` (EADDRINUSE, …).
 */
export function serveHttp(server: Server, options: ServeHttpOptions = {}): Promise<RunningServer> {
  return serveEndpoint(server.endpoint(createPinoLogger()), options);
}

/** Serves an endpoint over Streamable HTTP. */
export async function serveEndpoint(endpoint: Endpoint, options: ServeHttpOptions = {}): Promise<RunningServer> {
  const { port = 3000, host = '127.0.0.1' } = options;
  if (!isLoopback(host) && options.authenticate === undefined) {
    throw new TypeError(
      `refusing to listen on ${host} without authentication: anyone who reaches it could call the tools. Listen on 127.0.0.1, or pass \`authenticate\``,
    );
  }
  const path = toPath(options.path ?? '/mcp');
  const serve = endpointToNode(endpoint, options);
  const refusesOrigin = createOriginPolicy(options);
  // Of two `Host` or `Content-Type` headers Node would keep the first alone, and a proxy in front may have read the second.
  const http = createHttpServer({ joinDuplicateHeaders: true }, (request, response) => {
    if (pathOf(request) === path) serve(request, response);
    else refuse(request, response, refusesOrigin(new NodeHead(request)), path);
  });
  http.keepAliveTimeout = 65_000;
  await listen(http, port, host);
  const { port: taken } = http.address() as AddressInfo;
  const close = once(async (graceMs: number) => {
    const closed = new Promise<void>((resolve) => http.close(() => resolve()));
    // A connection becomes idle when its last request is answered, and nothing tells so.
    const idle = setInterval(() => http.closeIdleConnections(), IDLE_CHECK_MS);
    const timer = setTimeout(() => http.closeAllConnections(), graceMs);
    await closed;
    clearInterval(idle);
    clearTimeout(timer);
  });
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${taken}${path}`,
    async close({ graceMs = 1_000 } = {}) {
      await close(toMilliseconds('graceMs', graceMs, 0));
    },
    [Symbol.asyncDispose]: () => close(1_000),
  };
}

function listen(http: HttpServer, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    http.once('error', reject);
    http.listen(port, host, () => {
      http.off('error', reject);
      resolve();
    });
  });
}

function refuse(request: IncomingMessage, response: ServerResponse, forbidden: string | undefined, path: string): void {
  dropBody(request, response);
  const message = forbidden ?? `Nothing is served here; the endpoint is ${path}`;
  const body = errorText(undefined, new ProtocolError('invalidRequest', message));
  response.writeHead(forbidden === undefined ? 404 : 403, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
  });
  response.end(body);
}

/** The path as clients send it: dots resolved, everything but ASCII percent-encoded. */
function toPath(path: string): string {
  if (!/^\/(?!\/)[^?#\s\\]*$/.test(path))
    throw new TypeError(
      `the path of the endpoint must begin with one "/" and have no query, not ${JSON.stringify(path)}`,
    );
  return new URL(path, 'http://localhost').pathname;
}

function pathOf(request: IncomingMessage): string {
  const url = request.url ?? '';
  const target = url.startsWith('/') ? url : originForm(url, request.headers.host);
  const query = target.indexOf('?');
  return query < 0 ? target : target.slice(0, query);
}

/** Takes the absolute form of a target, too, where `Host`, which is what is checked, repeats it. Spec: RFC 9112 section 3.2.2. */
function originForm(url: string, host: string | undefined): string {
  const [, authority, path] = /^http:\/\/([^/?]+)(\/.*)$/i.exec(url) ?? [];
  return path === undefined || authority?.toLowerCase() !== host?.toLowerCase() ? url : path;
}

function once<A>(run: (argument: A) => Promise<void>): (argument: A) => Promise<void> {
  let running: Promise<void> | undefined;
  return (argument) => (running ??= run(argument));
}

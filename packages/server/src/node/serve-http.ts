import { createServer as createHttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import {
  assertKnownOptions,
  createSafeLogger,
  isLoopback,
  type KnownOptions,
  ProtocolError,
  toMilliseconds,
  toLimit,
} from '@switchyard/protocol';

import type { Server } from '../server.ts';
import { optionOwners } from '../option-owners.ts';
import type { Endpoint } from '../dispatch/endpoint.ts';
import { errorText } from '../dispatch/error-reply.ts';
import { createMetadataHandler, metadataPaths } from '../authorization/metadata-handler.ts';
import type { HttpHead } from '../exchange/http-exchange.ts';
import { createHttpServing } from '../http/http-handler.ts';
import type { EndpointHttpOptions } from '../http/http-options.ts';
import { createOriginPolicy, namesLoopbackOnly } from '../http/origin-policy.ts';
import { createRefusalLog } from '../http/refusal-log.ts';
import { jsonHeaders } from '../http/json-headers.ts';
import { createSecurityReport } from '../authorization/security-event.ts';
import { type ClientCount, type ClientCounts, createClientCounts } from '../dispatch/client-counts.ts';
import { partsOf } from '../dispatch/legacy-adapter.ts';
import { endStreams } from '../dispatch/end-streams.ts';
import { nodeDefaults } from './node-defaults.ts';
import { listen } from './listen.ts';
import { type NodeHttpOptions, nodeHttpOptions, toEndpointOptions } from './node-http-options.ts';
import { NodeHead } from './node-exchange.ts';
import { pathOf, toPath } from './request-path.ts';
import { sendWhole } from './send-whole.ts';
import { handlerToNode } from './to-node.ts';
import type { UnreadResponseOptions } from './unread-responses.ts';
import { waitAtMost } from '../timing/wait-at-most.ts';

const IDLE_CHECK_MS = 10;
/** Largest head of a request, in bytes, unless an option says otherwise. */
export const DEFAULT_MAX_HEADER_BYTES = 16 * 1024;
const MAX_PORT = 65_535;

/** Where an endpoint listens. */
export interface ListenOptions {
  /** Default 3000; 0 takes a free port. */
  readonly port?: number;
  /**
   * Default 127.0.0.1. Any other than a loopback one (see `isLoopback`) needs `authenticate`, and the names that
   * callers use in `allowedHosts`.
   */
  readonly host?: string;
  /**
   * Path of the endpoint, without a query: default `/mcp`. Every other path is 404, but for those of the metadata where
   * there is a `protectedResource`.
   */
  readonly path?: string;
  /** Largest head of a request in bytes: default 16 KiB. A larger one gets 431 and its connection is closed. */
  readonly maxHeaderBytes?: number;
  /** Counts requests by revision and client. Default: counts of its own. `RunningServer.clients` tells them. */
  readonly counts?: ClientCounts;
}

/** How an endpoint is served over HTTP, and where it listens. */
export interface ServeEndpointOptions
  extends Omit<EndpointHttpOptions, 'counts'>, UnreadResponseOptions, ListenOptions {}

/** How a server is served over HTTP, and where it listens. */
export interface ServeHttpOptions extends Omit<NodeHttpOptions, 'counts'>, ListenOptions {}

/** The members of {@link ServeHttpOptions}. */
export const serveHttpOptions: KnownOptions<ServeHttpOptions> = {
  ...nodeHttpOptions,
  port: true,
  host: true,
  path: true,
  maxHeaderBytes: true,
};

/** A server that listens. */
export interface RunningServer extends AsyncDisposable {
  /** The endpoint's URL with the port that was taken. */
  readonly url: string;
  /**
   * How many requests came from whom so far, by revision: old clients have gone when only modern revisions stand here
   * for long.
   */
  clients(): readonly ClientCount[];
  /**
   * Stops listening, lets running requests finish for `graceMs` (default 1,000), then cancels them and closes their
   * connections.
   */
  close(options?: { readonly graceMs?: number }): Promise<void>;
}

/**
 * Serves a server over Streamable HTTP.
 *
 * Spec: basic/transports/streamable-http (2026-07-28).
 *
 * @throws TypeError when the address is not a loopback one and nobody authenticates, when it or a name in
 *   `allowedHosts` is none and keys for request state are missing, or when an option is unknown, out of range or no
 *   path; the error of `listen` with its code (EADDRINUSE, …).
 */
export async function serveHttp(server: Server, options: ServeHttpOptions = {}): Promise<RunningServer> {
  assertKnownOptions('serveHttp', options, serveHttpOptions, optionOwners);
  return serveEndpoint(server.endpoint(nodeDefaults()), toEndpointOptions(options));
}

/** Serves an endpoint over Streamable HTTP; to old clients, too, where `legacy` is given. */
export async function serveEndpoint(endpoint: Endpoint, options: ServeEndpointOptions = {}): Promise<RunningServer> {
  assertKnownOptions('serveEndpoint', options, serveHttpOptions);
  const { port = 3000, host = '127.0.0.1' } = options;
  toLimit('port', port, 0, MAX_PORT);
  if (!isLoopback(host) && options.authenticate === undefined) throw await withoutAuthentication(endpoint, host);
  const path = toPath(options.path ?? '/mcp');
  const maxHeaderSize = toLimit('maxHeaderBytes', options.maxHeaderBytes ?? DEFAULT_MAX_HEADER_BYTES, 1024);
  const counts = options.counts ?? createClientCounts();
  const serving = createHttpServing(endpoint, { ...options, counts });
  const serve = handlerToNode(endpoint, serving.handle, options);
  const ssePath = options.legacy === undefined ? undefined : partsOf(options.legacy).ssePath;
  const paths = new Set(ssePath === undefined ? [path] : [path, toPath(ssePath)]);
  const refusesOrigin = createOriginPolicy(options);
  const report = createSecurityReport(options.onSecurityEvent);
  const metadata = createServedMetadata(options, path);
  const logger = createSafeLogger(endpoint.logger);
  const logRefusal = createRefusalLog(endpoint, logger);
  if (!isLoopback(host) && namesLoopbackOnly(options))
    logger.warn(
      { host },
      'no host but loopback ones is let in: callers by another name get 403; name it in allowedHosts',
    );
  // Of two `Host` or `Content-Type` headers Node would keep the first alone, and a proxy in front may have read the
  // second.
  const http = createHttpServer({ joinDuplicateHeaders: true, maxHeaderSize }, (request, response) => {
    const requested = pathOf(request);
    if (paths.has(requested)) return serve(request, response);
    const head = new NodeHead(request);
    const isMetadata = metadata?.paths.has(requested) === true;
    // The metadata is for every origin; a foreign host is a rebound name all the same.
    const forbidden = refusesOrigin(isMetadata ? withoutOrigin(head) : head);
    if (forbidden !== undefined)
      report({ type: 'forbidden', method: head.method, status: 403, reason: 'host-or-origin' });
    if (isMetadata && forbidden === undefined)
      return sendWhole(request, response, metadata.answer(request.method ?? ''));
    const [status, problem] =
      forbidden === undefined
        ? ([404, `Nothing is served here; the endpoint is ${path}`] as const)
        : ([403, forbidden] as const);
    logRefusal(head, status, problem);
    const body = errorText(undefined, new ProtocolError('invalidRequest', problem));
    return sendWhole(request, response, { status, headers: jsonHeaders, body });
  });
  http.keepAliveTimeout = 65_000;
  await endpoint.prepare?.({ isLoopback: isLoopback(host) && namesLoopbackOnly(options) });
  await listen(http, port, host);
  // As when the system has no memory for a connection: unheard, it would end the process.
  http.on('error', (err) => logger.error({ err }, 'a connection could not be taken'));
  const { port: taken } = http.address() as AddressInfo;
  const close = once(async (graceMs: number) => {
    const streams = waitAtMost(endStreams(endpoint, logger), graceMs);
    const closed = new Promise<void>((resolve) => http.close(() => resolve()));
    // A connection becomes idle when its last request is answered, and nothing tells so.
    const idle = setInterval(() => http.closeIdleConnections(), IDLE_CHECK_MS);
    const timer = setTimeout(() => http.closeAllConnections(), graceMs);
    const sessions = serving.endSessions(graceMs);
    await closed;
    await sessions;
    await streams;
    clearInterval(idle);
    clearTimeout(timer);
  });
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${taken}${path}`,
    clients: () => counts.list(),
    async close({ graceMs = 1_000 } = {}) {
      await close(toMilliseconds('graceMs', graceMs, 0));
    },
    [Symbol.asyncDispose]: () => close(1_000),
  };
}

/**
 * Answers the refusal of an address beyond loopback, with whatever else it lacks, so that nobody learns of one thing at
 * a time.
 */
async function withoutAuthentication(endpoint: Endpoint, host: string): Promise<TypeError> {
  const refusal = `refusing to listen on ${host} without authentication: anyone who reaches it could call the tools. Listen on 127.0.0.1, or pass \`authenticate\``;
  try {
    await endpoint.prepare?.({ isLoopback: false });
    return new TypeError(refusal);
  } catch (error) {
    return new TypeError(`${refusal}; besides, ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
}

function createServedMetadata(
  { protectedResource }: ServeEndpointOptions,
  path: string,
): { readonly paths: ReadonlySet<string>; readonly answer: ReturnType<typeof createMetadataHandler> } | undefined {
  return protectedResource === undefined
    ? undefined
    : { paths: metadataPaths(protectedResource, path), answer: createMetadataHandler(protectedResource) };
}

function withoutOrigin(head: HttpHead): HttpHead {
  const { method, target } = head;
  return { method, target, header: (key) => (key === 'origin' ? undefined : head.header(key)) };
}

function once<A>(run: (argument: A) => Promise<void>): (argument: A) => Promise<void> {
  let running: Promise<void> | undefined;
  return (argument) => (running ??= run(argument));
}

import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { JsonObject } from '@switchyard/protocol';

/** One request that the client made. */
export interface Received {
  readonly httpMethod: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly rawHeaders: readonly string[];
  /** The message in the body; empty for a request without one. */
  readonly message: {
    readonly id?: number;
    readonly method?: string;
    readonly params?: JsonObject;
    readonly result?: unknown;
  };
}

export interface ScriptedHttpServer extends AsyncDisposable {
  readonly url: string;
  /** All requests but GET. */
  readonly received: readonly Received[];
  readonly gets: readonly Received[];
  /** The `method` of each message, and `DELETE` for that request. */
  methods(): string[];
}

type ReplyTo = (request: Received, response: ServerResponse) => void | Promise<void>;

/**
 * Plays a server: `reply` answers each request as it likes, but GET, which has a handler of its own and is refused
 * without one.
 */
export async function startHttpServer(
  reply: ReplyTo,
  replyToGet: ReplyTo = (_request, response) => void response.writeHead(405).end(),
): Promise<ScriptedHttpServer> {
  const received: Received[] = [];
  const gets: Received[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString('utf8');
      const entry = {
        httpMethod: request.method ?? '',
        url: request.url ?? '',
        headers: request.headers,
        rawHeaders: request.rawHeaders,
        message: text === '' ? {} : (JSON.parse(text) as Received['message']),
      };
      const isGet = entry.httpMethod === 'GET';
      (isGet ? gets : received).push(entry);
      void (isGet ? replyToGet : reply)(entry, response);
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    received,
    gets,
    methods: () => received.map(({ httpMethod, message }) => message.method ?? httpMethod),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
}

export function sendJson(
  response: ServerResponse,
  body: unknown,
  status = 200,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
}

export function sendResult(
  response: ServerResponse,
  { message }: Received,
  result: object,
  headers: Record<string, string> = {},
): void {
  sendJson(response, { jsonrpc: '2.0', id: message.id, result: { resultType: 'complete', ...result } }, 200, headers);
}

export function sendError(
  response: ServerResponse,
  { message }: Received,
  status: number,
  code: number,
  data?: unknown,
): void {
  sendJson(
    response,
    { jsonrpc: '2.0', id: message.id, error: { code, message: 'no', ...(data === undefined ? {} : { data }) } },
    status,
  );
}

/** Answers `server/discover` as a modern server; answers whether it did. */
export function discovered(request: Received, response: ServerResponse, capabilities: object = { tools: {} }): boolean {
  if (request.message.method !== 'server/discover') return false;
  sendResult(response, request, { supportedVersions: ['2026-07-28'], capabilities, ttlMs: 0, cacheScope: 'private' });
  return true;
}

/** A complete result of a tool that says `text`. */
export function said(text: string): { readonly content: readonly object[] } {
  return { content: [{ type: 'text', text }] };
}

import { type HttpOptions, legacyClients, type LegacyOptions, type Server } from '@switchyard/server';
import { serveHttp } from '@switchyard/server/node';
import { onTestFinished } from 'vitest';

import type { Received } from '../wire.ts';

/** One event of a stream. */
export interface SseEvent {
  readonly id?: string;
  readonly event?: string;
  readonly retry?: string;
  readonly data?: string;
}

/** A stream of events as it comes. */
export interface Events {
  /** The next event, or `undefined` at the end. */
  next(): Promise<SseEvent | undefined>;
  /** The next message, or `undefined` at the end; events without one are passed over. */
  message(): Promise<Received | undefined>;
  /** Every message until the end. */
  rest(): Promise<Received[]>;
  /** The id of the last event that was read. */
  lastId(): string;
  /** Breaks the connection off. */
  breakOff(): void;
}

/** A response whose body may still come. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  json(): Promise<Received>;
  events(): Events;
}

/** Further members of a request. */
export interface CallOptions {
  readonly headers?: { readonly [name: string]: string | undefined };
}

/** A server for old clients behind HTTP. */
export interface LegacyRoute {
  readonly url: string;
  post(message: unknown, options?: CallOptions): Promise<Answer>;
  get(options?: CallOptions): Promise<Answer>;
  delete(options?: CallOptions): Promise<Answer>;
  /** Opens a session and says that it is ready. */
  open(revision?: string, capabilities?: object, options?: CallOptions): Promise<LegacyPeer>;
}

/** An old client with a session. */
export interface LegacyPeer {
  readonly id: string;
  post(message: unknown, options?: CallOptions): Promise<Answer>;
  get(options?: CallOptions): Promise<Answer>;
  delete(options?: CallOptions): Promise<Answer>;
  /** Posts a request and answers its response, whatever precedes it on the stream. */
  request(method: string, params?: object, id?: unknown): Promise<Received>;
}

/** The `initialize` of a client. */
export function initializeOf(revision: string, capabilities: object = {}, id: unknown = 0): object {
  const params = { protocolVersion: revision, capabilities, clientInfo: { name: 'probe', version: '1.0.0' } };
  return { jsonrpc: '2.0', id, method: 'initialize', params };
}

/** A message without an id. */
export function notificationOf(method: string, params?: object): object {
  return { jsonrpc: '2.0', method, ...(params === undefined ? {} : { params }) };
}

/** A request of an old client. */
export function legacyRequest(method: string, params: object = {}, id: unknown = 1): object {
  return { jsonrpc: '2.0', id, method, params };
}

/** Serves over a real `node:http` server until the test is over. */
export async function openLegacy(
  server: Server,
  legacy: LegacyOptions = {},
  options: Omit<HttpOptions, 'legacy'> = {},
): Promise<LegacyRoute> {
  const running = await serveHttp(server, { port: 0, ...options, legacy: legacyClients(legacy) });
  onTestFinished(() => running.close({ graceMs: 0 }));
  return routeTo(running.url);
}

/** Talks to a server at a URL, or to a handler as if it were there. */
export function routeTo(url: string, serve: (request: Request) => Promise<Response> = fetch): LegacyRoute {
  const send = async (method: string, body: unknown, { headers = {} }: CallOptions = {}): Promise<Answer> => {
    const controller = new AbortController();
    onTestFinished(() => controller.abort());
    const all = {
      accept: 'application/json, text/event-stream',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    };
    const request = new Request(url, {
      method,
      headers: Object.fromEntries(
        Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined),
      ),
      signal: controller.signal,
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const response = await serve(request);
    return {
      status: response.status,
      headers: response.headers,
      json: async () => (await response.json()) as Received,
      events: () => readEvents(response, controller),
    };
  };
  const route: LegacyRoute = {
    url,
    post: (message, options) => send('POST', message, options),
    get: (options) => send('GET', undefined, options),
    delete: (options) => send('DELETE', undefined, options),
    async open(revision = '2025-11-25', capabilities = {}, options = {}) {
      const opened = await route.post(initializeOf(revision, capabilities), options);
      const id = opened.headers.get('mcp-session-id') ?? '';
      await opened.json();
      const within = (more: CallOptions = {}): CallOptions => ({
        headers: { 'mcp-session-id': id, 'mcp-protocol-version': revision, ...options.headers, ...more.headers },
      });
      const peer: LegacyPeer = {
        id,
        post: (message, more) => route.post(message, within(more)),
        get: (more) => route.get(within(more)),
        delete: (more) => route.delete(within(more)),
        async request(method, params = {}, requestId = 1) {
          const answer = await peer.post(legacyRequest(method, params, requestId));
          if (answer.headers.get('content-type') === 'application/json') return answer.json();
          const messages = await answer.events().rest();
          return messages.at(-1) as Received;
        },
      };
      await peer.post(notificationOf('notifications/initialized'));
      return peer;
    },
  };
  return route;
}

function readEvents(response: Response, controller: AbortController): Events {
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  const decoder = new TextDecoder();
  let buffer = '';
  let lastId = '';
  async function next(): Promise<SseEvent | undefined> {
    for (;;) {
      const end = buffer.indexOf('\n\n');
      if (end >= 0) {
        const block = buffer.slice(0, end);
        buffer = buffer.slice(end + 2);
        const fields = block.split('\n').filter((line) => !line.startsWith(':'));
        if (fields.length === 0) continue;
        const event = Object.fromEntries(
          fields.map((line) => line.split(/:(?: |$)/, 1).concat(line.replace(/^[^:]*: ?/, ''))),
        ) as SseEvent;
        if (event.id !== undefined) lastId = event.id;
        return event;
      }
      const { done, value } = await reader.read();
      if (done) return undefined;
      buffer += decoder.decode(value, { stream: true });
    }
  }
  async function message(): Promise<Received | undefined> {
    for (;;) {
      const event = await next();
      if (event === undefined) return undefined;
      if (event.data !== undefined && event.data !== '') return JSON.parse(event.data) as Received;
    }
  }
  return {
    next,
    message,
    async rest() {
      const messages: Received[] = [];
      for (let found = await message(); found !== undefined; found = await message()) messages.push(found);
      return messages;
    },
    lastId: () => lastId,
    breakOff: () => controller.abort(),
  };
}

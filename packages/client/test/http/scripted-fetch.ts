import type { JsonObject } from '@switchyard/protocol';
import type { Fetch, FetchResponse } from '../../src/index.ts';

/** One request that the client made. */
export interface Fetched {
  readonly httpMethod: string;
  readonly url: string;
  readonly headers: { readonly [name: string]: string };
  readonly message: { readonly id?: number; readonly method?: string; readonly params?: JsonObject };
  readonly signal: AbortSignal;
}

/** What a scripted server answers; a function of the body makes a stream. */
export interface Answer {
  readonly status?: number;
  readonly headers?: { readonly [name: string]: string };
  readonly body?: string | ((stream: ScriptedStream) => void);
}

/** A body whose parts the test writes. */
export interface ScriptedStream {
  write(text: string): void;
  end(): void;
  break(error?: Error): void;
}

/** A fetch function in this process, so that a manual clock alone says when something happens. */
export function scriptFetch(reply: (request: Fetched) => Answer | Promise<Answer>): {
  readonly fetch: Fetch;
  readonly requests: readonly Fetched[];
  /** The `method` of each message, and the HTTP method of a request without one. */
  methods(): string[];
} {
  const requests: Fetched[] = [];
  return {
    requests,
    methods: () => requests.map(({ message, httpMethod }) => message.method ?? httpMethod),
    async fetch(url, { method, headers, body, signal }) {
      const message = body === undefined ? {} : (JSON.parse(body) as Fetched['message']);
      const request = { httpMethod: method, url, headers: { ...headers }, message, signal };
      requests.push(request);
      return toResponse(await reply(request), signal);
    },
  };
}

function toResponse({ status = 200, headers = {}, body = '' }: Answer, signal: AbortSignal): FetchResponse {
  const parts: Uint8Array[] = [];
  let over: (() => { readonly done: true }) | undefined;
  let wake = (): void => undefined;
  const end = (how: () => { readonly done: true }): void => {
    over ??= how;
    wake();
  };
  signal.addEventListener(
    'abort',
    () =>
      end(() => {
        throw signal.reason;
      }),
    { once: true },
  );
  const stream: ScriptedStream = {
    write(text) {
      if (over === undefined) parts.push(new TextEncoder().encode(text));
      wake();
    },
    end: () => end(() => ({ done: true })),
    break: (error = new Error('socket hang up')) =>
      end(() => {
        throw error;
      }),
  };
  if (typeof body === 'function') body(stream);
  else {
    stream.write(body);
    stream.end();
  }
  const cancel = (): Promise<void> => Promise.resolve(stream.end());
  const read = async (): Promise<{ done: boolean; value?: Uint8Array }> => {
    for (;;) {
      const value = parts.shift();
      if (value !== undefined) return { done: false, value };
      if (over !== undefined) return over();
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  };
  return { status, headers: new Headers(headers), body: { cancel, getReader: () => ({ read, cancel }) } };
}

/** A JSON body with a result. */
export function resultTo({ message }: Fetched, result: object): Answer {
  const body = JSON.stringify({ jsonrpc: '2.0', id: message.id, result: { resultType: 'complete', ...result } });
  return { headers: { 'content-type': 'application/json' }, body };
}

/** Answers `server/discover` as a modern server. */
export function discoveryTo(request: Fetched): Answer | undefined {
  if (request.message.method !== 'server/discover') return undefined;
  return resultTo(request, {
    supportedVersions: ['2026-07-28'],
    capabilities: { tools: {} },
    ttlMs: 0,
    cacheScope: 'private',
  });
}

/** Answers the start of a legacy session, whose id is `sessionId`. */
export function greetingTo(request: Fetched, sessionId = 's-1'): Answer | undefined {
  const { message, httpMethod } = request;
  if (httpMethod === 'DELETE') return { status: 200 };
  if (message.method === 'server/discover') return { status: 400 };
  if (message.method === 'notifications/initialized') return { status: 202 };
  if (message.method !== 'initialize') return undefined;
  const result = {
    protocolVersion: '2025-11-25',
    capabilities: { tools: {} },
    serverInfo: { name: 'old', version: '1' },
  };
  return {
    headers: { 'content-type': 'application/json', 'mcp-session-id': sessionId },
    body: JSON.stringify({ jsonrpc: '2.0', id: message.id, result }),
  };
}

/** An answer that is an event stream. */
export function streamed(write: (stream: ScriptedStream) => void): Answer {
  return { headers: { 'content-type': 'text/event-stream' }, body: write };
}

/** An event with a message. */
export function eventOf(message: object, id?: string): string {
  return `${id === undefined ? '' : `id: ${id}\n`}data: ${JSON.stringify(message)}\n\n`;
}

/** A tool's result that says `text`. */
export const saying = (text: string): object => ({ content: [{ type: 'text', text }] });

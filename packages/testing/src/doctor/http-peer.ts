import {
  ClientError,
  type Clock,
  connectionFailure,
  type HeaderFields,
  type HttpCredentials,
} from '@switchyard/client';
import { openPooledFetch } from '@switchyard/client/node';
import type { JsonObject } from '@switchyard/protocol';
import { createParser } from 'eventsource-parser';

import { type Heard, type NoAnswer, readResponse } from './heard.ts';

/** One HTTP request. */
export interface HttpAsk {
  /** Default: that of the peer. */
  readonly url?: string;
  /** Sent as the body of a POST; without one it is a GET. */
  readonly message?: JsonObject;
  /** Ends the session that the headers name. */
  readonly isDelete?: true;
  /** On top of those of the peer, names in lower case. */
  readonly headers?: { readonly [name: string]: string };
  /** Default: that of the peer. */
  readonly timeoutMs?: number;
  /** Sends neither the headers of the peer nor credentials, for another server than the one that is meant. */
  readonly isBare?: true;
}

/** What came on a stream while it was watched. */
export interface Watched extends Pick<Heard, 'status' | 'header' | 'failure'> {
  /** Milliseconds until the headers came. */
  readonly headMs?: number;
  /** Milliseconds until the first byte of the body came. */
  readonly firstMs?: number;
  /** Milliseconds until the peer ended the stream, or it broke. */
  readonly endMs?: number;
  /** The beginning of what came. */
  readonly text: string;
}

/** How long a stream is watched. */
export interface WatchOptions {
  readonly forMs: number;
  /** Ends watching once it answers true to what has come so far. */
  readonly isEnough?: (text: string) => boolean;
}

/** Speaks HTTP to one server, repairs and follows nothing, and shows what came. */
export interface HttpPeer {
  readonly url: string;
  /** Whether credentials go with each request. */
  hasCredentials(): boolean;
  ask(request: HttpAsk): Promise<Heard>;
  watch(request: HttpAsk, options: WatchOptions): Promise<Watched>;
  close(): Promise<void>;
}

/** What a peer is reached by. */
export interface HttpPeerOptions {
  readonly url: string;
  readonly socketPath?: string | undefined;
  readonly headers: { readonly [name: string]: string };
  readonly credentials?: HttpCredentials | undefined;
  /** Where proxies are looked for. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

const MAX_BODY_CHARS = 1024 * 1024;
const MAX_TEXT_CHARS = 16 * 1024;
/** How often other credentials are tried for one request. */
const MAX_REFUSALS = 2;
const EVENT_STREAM = /^text\/event-stream\s*(?:;|$)/i;

/** Creates a peer with a pool of sockets of its own. Whoever created it closes it. */
export function createHttpPeer(options: HttpPeerOptions): HttpPeer {
  const { url, headers, credentials, timeoutMs, clock, signal } = options;
  let lastFields: HeaderFields = {};
  const pool = openPooledFetch({ socketPath: options.socketPath, baseEnv: options.env });

  return {
    url,
    hasCredentials: () => credentials !== undefined || Object.keys(headers).some((name) => name === 'authorization'),
    async ask(request) {
      let heard = await askOnce(request);
      for (let tries = 1; tries <= MAX_REFUSALS && (await hasOtherCredentials(request, heard)); tries += 1)
        heard = await askOnce(request);
      return heard;
    },
    async watch(request, { forMs, isEnough = () => false }) {
      const started = clock.now();
      let text = '';
      let firstMs: number | undefined;
      let headMs: number | undefined;
      let isOver = false;
      const seen = await exchange(request, forMs, () => {
        headMs = clock.now() - started;
        return (chunk) => {
          firstMs ??= clock.now() - started;
          if (text.length < MAX_TEXT_CHARS) text += chunk;
          isOver = isEnough(text);
          return isOver;
        };
      });
      const hasEnded = !isOver && seen.failure?.kind !== 'timeout';
      return {
        ...seen,
        text,
        ...(headMs === undefined ? {} : { headMs }),
        ...(firstMs === undefined ? {} : { firstMs }),
        ...(hasEnded ? { endMs: clock.now() - started } : {}),
      };
    },
    close: () => pool.close(),
  };

  async function askOnce(request: HttpAsk): Promise<Heard> {
    const started = clock.now();
    let text = '';
    let found: ReturnType<typeof readResponse> = {};
    const seen = await exchange(request, request.timeoutMs ?? timeoutMs, (type) => {
      const isStream = EVENT_STREAM.test(type);
      const parser = createParser({
        onEvent: ({ data }) => {
          if (found.response === undefined) found = { ...found, ...readResponse(data, request.message?.['id']) };
        },
      });
      return (chunk) => {
        if (text.length < MAX_BODY_CHARS) text += chunk;
        if (isStream) parser.feed(chunk);
        return found.response !== undefined || text.length >= MAX_BODY_CHARS;
      };
    });
    if (found.response === undefined) found = { ...found, ...readResponse(text, request.message?.['id']) };
    const elapsedMs = clock.now() - started;
    return { ...seen, text: text.slice(0, MAX_TEXT_CHARS), elapsedMs, ...found };
  }

  /** A token that was revoked is refreshed where that can be done; where it cannot, the refusal stands. */
  async function hasOtherCredentials(request: HttpAsk, { status, header }: Heard): Promise<boolean> {
    if (credentials?.onRefusal === undefined || request.isBare === true || (status !== 401 && status !== 403))
      return false;
    const refusal = { status, header, challenge: header('www-authenticate') ?? '', fields: lastFields };
    try {
      return await credentials.onRefusal({
        ...refusal,
        operation: operationOf(request),
        signal,
      });
    } catch {
      // Why none can be had is not the server's cause; what it answered is.
      signal.throwIfAborted();
      return false;
    }
  }

  /** Sends one request and hands its body over until that is enough, it ends, or time is up. */
  async function exchange(
    request: HttpAsk,
    forMs: number,
    onHead: (mediaType: string) => (chunk: string) => boolean,
  ): Promise<Pick<Heard, 'status' | 'header' | 'failure'>> {
    const ending = new AbortController();
    const stop = clock.after(forMs, () => ending.abort());
    const giveUp = (): void => ending.abort();
    signal.addEventListener('abort', giveUp, { once: true });
    let head: Pick<Heard, 'status' | 'header'> = { header: () => undefined };
    try {
      signal.throwIfAborted();
      const method = request.isDelete === true ? 'DELETE' : request.message === undefined ? 'GET' : 'POST';
      const response = await pool.fetch(request.url ?? url, {
        method,
        headers: await headersOf(request, method, ending.signal),
        ...(request.message === undefined ? {} : { body: JSON.stringify(request.message) }),
        signal: ending.signal,
        redirect: 'manual',
      });
      const header = (name: string): string | undefined => response.headers.get(name) ?? undefined;
      head = { status: response.status, header };
      credentials?.onResponse?.(header);
      const take = onHead(header('content-type') ?? '');
      const reader = response.body?.getReader();
      const decoder = new TextDecoder();
      for (let isEnough = reader === undefined; !isEnough;) {
        const part = await reader?.read();
        if (part === undefined || part.done) break;
        isEnough = take(decoder.decode(part.value, { stream: true }));
      }
      await reader?.cancel();
      return head;
    } catch (error) {
      signal.throwIfAborted();
      return { ...head, failure: ending.signal.aborted ? timedOut(forMs) : failureOf(error) };
    } finally {
      stop();
      signal.removeEventListener('abort', giveUp);
      // What is left of a stream is not waited for.
      ending.abort();
    }
  }

  async function headersOf(request: HttpAsk, httpMethod: string, until: AbortSignal): Promise<Record<string, string>> {
    const sent = {
      accept: httpMethod === 'GET' ? 'text/event-stream' : 'application/json, text/event-stream',
      ...(httpMethod === 'GET' ? {} : { 'content-type': 'application/json' }),
    };
    if (request.isBare === true) return { ...sent, ...request.headers };
    const fields = (await credentials?.fieldsFor({ httpMethod, url: request.url ?? url, signal: until })) ?? {};
    lastFields = fields;
    return { ...sent, ...headers, ...request.headers, ...fields };
  }
}

function operationOf({ message }: HttpAsk): string {
  const method = message?.['method'];
  return typeof method === 'string' ? method : 'GET';
}

function timedOut(forMs: number): NoAnswer {
  return { kind: 'timeout', code: '', message: `nothing came within ${forMs} ms` };
}

/** The client's own errors come from the credentials: nothing else here throws them. */
function failureOf(error: unknown): NoAnswer {
  if (error instanceof ClientError) return { kind: 'credentials', code: '', message: error.message };
  const { wasNeverMade, code, message } = connectionFailure(error);
  return { kind: wasNeverMade ? 'unreachable' : 'closed', code, message };
}

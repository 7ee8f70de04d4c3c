import { redactSecrets } from '@switchyard/guards';

import { type AnswerBuilder, createAnswerBuilder } from './answer-builder.ts';
import { boundedChunks } from './bounded-chunks.ts';
import {
  defaultLimits,
  type RawAnswer,
  type RawConnection,
  RawConnectionError,
  type RawConnectionLimits,
  type RawSendOptions,
} from './raw-connection.ts';
import { readEventStream } from './read-event-stream.ts';
import { readJsonBody } from './read-json-body.ts';

const EVENT_STREAM = /^text\/event-stream\s*(?:;|$)/i;

/** What carries HTTP requests; the global `fetch` fits. */
export type HttpFetch = (url: string, init: RequestInit) => Promise<Response>;

/**
 * Creates the connection to a URL. Redirects are not followed: they are answers. A response is read until its stream
 * ends or the response to the message has come, whichever is first.
 *
 * Spec: basic/transports/streamable-http (2026-07-28).
 */
export function createHttpConnection(
  target: { readonly url: string; readonly headers?: { readonly [name: string]: string } },
  limits: RawConnectionLimits = {},
  fetch: HttpFetch = globalThis.fetch,
): RawConnection {
  const { timeoutMs, maxBytes } = { ...defaultLimits, ...limits };
  const closed = new AbortController();
  const close = (): Promise<void> => {
    closed.abort();
    return Promise.resolve();
  };

  return {
    transport: 'http',
    async send(message, { headers = {}, signal } = {}) {
      const builder = createAnswerBuilder(message, maxBytes);
      const what = typeof message['method'] === 'string' ? message['method'] : 'a message';
      const sent = { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers };
      return within(what, signal, async (ending) => {
        const body = JSON.stringify(message);
        const response = await request({
          method: 'POST',
          headers: { ...target.headers, ...sent },
          body,
          signal: ending,
        });
        await readAnswer(response, builder, what);
        return builder.build({ status: response.status, headers: headersOf(response) });
      });
    },
    head: (method, { headers = {}, signal } = {}) =>
      within(method, signal, async (ending) => {
        const sent = { accept: 'application/json, text/event-stream', ...target.headers, ...headers };
        const response = await request({ method, headers: sent, signal: ending });
        await response.body?.cancel();
        return { status: response.status, headers: headersOf(response) };
      }),
    lastWords: () => [],
    close,
    [Symbol.asyncDispose]: close,
  };

  async function request(init: RequestInit): Promise<Response> {
    const { username = '', password = '' } = URL.canParse(target.url) ? new URL(target.url) : {};
    if (username !== '' || password !== '')
      throw new RawConnectionError(
        'unreachable',
        `${where()} is not asked with a user or a password in its URL: send a header`,
      );
    return fetch(target.url, { ...init, redirect: 'manual' });
  }

  async function within<T>(
    what: string,
    signal: RawSendOptions['signal'],
    work: (ending: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const timeout = AbortSignal.timeout(timeoutMs);
    const signals = [timeout, closed.signal, ...(signal === undefined ? [] : [signal])];
    try {
      return await work(AbortSignal.any(signals));
    } catch (error) {
      if (error instanceof RawConnectionError) throw error;
      if (timeout.aborted) {
        throw new RawConnectionError('timeout', `${where()} did not answer ${what} within ${timeoutMs} ms`, {
          cause: error,
        });
      }
      if (closed.signal.aborted || signal?.aborted === true)
        throw new RawConnectionError('closed', `${what} was given up`, { cause: error });
      throw new RawConnectionError('unreachable', `${where()} cannot be reached for ${what}: ${reasonOf(error)}`, {
        cause: error,
      });
    }
  }

  async function readAnswer({ headers, body }: Response, builder: AnswerBuilder, what: string): Promise<void> {
    if (body === null) return;
    const chunks = boundedChunks(body, {
      maxBytes,
      isFull: () => builder.isFull,
      tooLarge: () =>
        new RawConnectionError(
          'too-large',
          `${where()} answered ${what} with more than ${maxBytes} bytes or too many messages`,
        ),
    });
    const isStream = EVENT_STREAM.test(headers.get('content-type') ?? '');
    await (isStream ? readEventStream(chunks, builder) : readJsonBody(chunks, builder));
  }

  function where(): string {
    return URL.canParse(target.url) ? new URL(target.url).origin : 'the server';
  }
}

function headersOf(response: Response): NonNullable<RawAnswer['headers']> {
  return Object.fromEntries(response.headers);
}

/** Node's fetch says why in the cause; a cause with several addresses has its own. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  for (const candidate of [cause, error]) {
    if (!(candidate instanceof Error)) continue;
    const { code } = candidate as Error & { readonly code?: unknown };
    if (typeof code === 'string') return code;
    if (candidate.message !== '') return redactSecrets(candidate.message);
  }
  return 'no reason given';
}

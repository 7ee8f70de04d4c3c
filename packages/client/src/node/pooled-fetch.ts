import { Agent, type Dispatcher } from 'undici';
import type { FetchBody, FetchInit, FetchPool, FetchResponse } from '../http/fetch.ts';

const KEEP_ALIVE_MS = 10_000;
const CONNECT_MS = 10_000;

/**
 * Opens a pool of HTTP/1.1 connections of its own: kept alive for ten seconds, ten seconds to connect, and no other
 * time limit, since each request has its deadline. It follows no redirect, asks for no compression, and gives no body
 * of an answer that is compressed all the same. Closing it ends what is under way.
 */
export function openPooledFetch(): FetchPool {
  const agent = new Agent({
    keepAliveTimeout: KEEP_ALIVE_MS,
    connect: { timeout: CONNECT_MS },
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  return {
    fetch: (url, init) => exchange(agent, new URL(url), init),
    close: () => agent.destroy(),
  };
}

async function exchange(agent: Agent, { origin, pathname, search }: URL, init: FetchInit): Promise<FetchResponse> {
  const { statusCode, headers, body } = await agent.request({
    origin,
    path: pathname + search,
    method: init.method,
    headers: { ...init.headers, 'accept-encoding': 'identity' },
    body: init.body ?? null,
    signal: init.signal,
  });
  // What was not asked for is not unpacked; its status still counts.
  const isReadable = (headers['content-encoding'] ?? 'identity') === 'identity';
  if (!isReadable) body.on('error', () => undefined).destroy();
  return {
    status: statusCode,
    headers: {
      get(name) {
        const value = headers[name.toLowerCase()];
        return Array.isArray(value) ? value.join(', ') : (value ?? null);
      },
    },
    body: isReadable ? toFetchBody(body) : null,
  };
}

function toFetchBody(body: Dispatcher.ResponseData['body']): FetchBody {
  // Giving up a body that has not ended is an error to the stream, and none to whoever gave it up.
  body.on('error', () => undefined);
  const cancel = (): Promise<void> => {
    body.destroy();
    return Promise.resolve();
  };
  return {
    cancel,
    getReader() {
      const chunks: AsyncIterator<Uint8Array> = body[Symbol.asyncIterator]();
      return {
        cancel,
        async read() {
          const { done, value } = await chunks.next();
          return done === true ? { done } : { done: false, value };
        },
      };
    },
  };
}

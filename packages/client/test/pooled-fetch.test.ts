import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { openPooledFetch } from '../src/node/pooled-fetch.ts';
import { startHttpServer } from './scripted-http-server.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] }));
afterEach(() => void vi.useRealTimers());

it('[http-08] lets a stream be silent for twenty minutes, before its headers and in its body', async () => {
  const asked = Promise.withResolvers<void>();
  const [head, body] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  await using server = await startHttpServer(async (_request, response) => {
    asked.resolve();
    await head.promise;
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(':\r\n');
    await body.promise;
    response.end('data: {}\n\n');
  });
  const pool = openPooledFetch();
  const { signal } = new AbortController();
  const answering = pool.fetch(server.url, { method: 'POST', headers: {}, body: '{}', signal, redirect: 'manual' });
  await asked.promise;
  await vi.advanceTimersByTimeAsync(20 * 60_000);
  head.resolve();
  const reader = (await answering).body?.getReader();
  const read = async (): Promise<string> => new TextDecoder().decode((await reader?.read())?.value);
  expect(await read()).toBe(':\r\n');
  const next = read();
  await vi.advanceTimersByTimeAsync(20 * 60_000);
  body.resolve();
  expect(await next).toBe('data: {}\n\n');
  await pool.close();
});

import { createServer, type HttpOptions, silentLogger, toFetch } from '@switchyard/server';
import { serveHttp, serveStdio, toNode } from '@switchyard/server/node';
import { PassThrough } from 'node:stream';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import * as z from 'zod';

import { openFetchRoute, openNodeRoute, postOf } from './http-route.ts';
import { callOf, metaOf } from './wire.ts';

const create = (): ReturnType<typeof createServer> =>
  createServer({ name: 'options', version: '1.0.0' }, { logger: silentLogger }).tool('hello', {}, () => 'hello');

describe('an option that cannot be meant', () => {
  it.each<[string, HttpOptions]>([
    ['keepAliveMs', { keepAliveMs: 0 }],
    ['keepAliveMs', { keepAliveMs: -1 }],
    ['keepAliveMs', { keepAliveMs: Number.NaN }],
    ['keepAliveMs', { keepAliveMs: '15000' as never }],
    ['maxBodyBytes', { maxBodyBytes: Number.NaN }],
    ['maxBodyBytes', { maxBodyBytes: 0 }],
    ['maxBodyBytes', { maxBodyBytes: '4mb' as never }],
    ['maxRunningRequests', { maxRunningRequests: 0 }],
    ['maxRunningRequests', { maxRunningRequests: Number.NaN }],
    ['allowedHosts', { allowedHosts: ['mcp.example.com:8443'] }],
    ['allowedHosts', { allowedHosts: ['https://mcp.example.com'] }],
    ['allowedHosts', { allowedHosts: ['2001:db8::1'] }],
    ['allowedHosts', { allowedHosts: ['*'] }],
    ['allowedHosts', { allowedHosts: [''] }],
    ['allowedOrigins', { allowedOrigins: ['app.example.com'] }],
    ['allowedOrigins', { allowedOrigins: ['https://app.example.com/'] }],
    ['allowedOrigins', { allowedOrigins: ['*'] }],
    ['allowedOrigins', { allowedOrigins: ['null'] }],
  ])('is refused when serving begins: %s in %j', async (name, options) => {
    expect(() => toFetch(create(), options)).toThrow(new RegExp(`^${name}.*(must|write)`));
    expect(() => toNode(create(), options)).toThrow(TypeError);
    await expect(serveHttp(create(), { port: 0, ...options })).rejects.toThrow(TypeError);
  });

  it.each(['mcp', '', '/mcp?a=1', '/mcp#a', '/a b', '//mcp', '/\\mcp'])('is refused: the path %j', async (path) => {
    await expect(serveHttp(create(), { port: 0, path })).rejects.toThrow(/path.*must begin with/);
  });

  it.each([-1, Number.NaN, '1' as never])('is refused: a grace of %j', async (graceMs) => {
    const streams = { input: new PassThrough(), output: new PassThrough() };
    await expect(serveStdio(create(), { graceMs, ...streams })).rejects.toThrow(/graceMs/);
    const running = await serveHttp(create(), { port: 0 });
    await expect(running.close({ graceMs })).rejects.toThrow(/graceMs/);
    await running.close({ graceMs: 0 });
  });
});

describe('an option', () => {
  it.each(['/mcp', '/tools/é', '/a/../b', '/%C3%A9'])(
    'may be the path %j, which clients write their own way',
    async (path) => {
      const running = await serveHttp(create(), { port: 0, path, legacy: false });
      onTestFinished(() => running.close({ graceMs: 0 }));
      expect((await fetch(running.url)).status).toBe(405);
      expect((await fetch(new URL(path, running.url))).status).toBe(405);
    },
  );

  it.each([
    ['https://app.example.com:443', 'https://app.example.com'],
    ['https://APP.example.com', 'https://app.example.com'],
    ['chrome-extension://abcdef', 'chrome-extension://abcdef'],
  ])('may be the origin %j, which browsers send as %j', async (allowed, origin) => {
    const route = await openFetchRoute(create(), { allowedOrigins: [allowed] });
    expect((await route.call(postOf(callOf('hello'), { origin }))).status).toBe(200);
  });

  it.each([Number.POSITIVE_INFINITY, 2 ** 31, Number.MAX_SAFE_INTEGER])(
    'may be a time longer than timers take, which is no hurry: %j ms',
    async (ms) => {
      const started = Promise.withResolvers<void>();
      const release = Promise.withResolvers<void>();
      // Their time goes on by itself, too: the server looks now and then whether its connections are idle.
      vi.useFakeTimers({
        shouldAdvanceTime: true,
        toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'],
      });
      onTestFinished(() => void vi.useRealTimers());
      const server = create().tool('wait', { input: z.object({}) }, async (_, context) => {
        context.progress(1);
        started.resolve();
        await release.promise;
        return 'done';
      });
      const running = await serveHttp(server, { port: 0, keepAliveMs: ms });
      const message = callOf('wait', {}, { meta: metaOf({ progressToken: 1 }) });
      const answered = fetch(running.url, { method: 'POST', ...(postOf(message) as RequestInit) });
      await started.promise;
      const closed = running.close({ graceMs: ms });
      // Node makes 1 ms of a time that is too long, and so do these timers.
      vi.advanceTimersByTime(60_000);
      release.resolve();
      const text = await (await answered).text();
      expect(text).toContain('"done"');
      expect(text).not.toContain('keep-alive');
      await closed;
    },
  );
});

describe('a target in absolute form', () => {
  it.each([
    ['with the authority of Host', (host: string) => `http://${host}/mcp`, 200],
    ['with a query', (host: string) => `http://${host}/mcp?a=/x`, 200],
    ['with another path', (host: string) => `http://${host}/other`, 404],
    ['without a path', (host: string) => `http://${host}?/mcp`, 404],
    ['with another authority than Host', () => 'http://evil.test/mcp', 404],
    ['with a user', (host: string) => `http://a@${host}/mcp`, 404],
  ])('is served %s', async (_, target, status) => {
    const route = await openNodeRoute(create());
    const answer = await route.call({ ...postOf(callOf('hello')), path: target(route.url.host) });
    expect(answer.status).toBe(status);
  });
});

import { request as httpRequest } from 'node:http';

import { createServer, isLoopback, silentLogger } from '@switchyard/server';
import { serveHttp } from '@switchyard/server/node';
import { describe, expect, it, onTestFinished } from 'vitest';

import { openFetchRoute, postOf } from './http-route.ts';
import { createRecorder } from './recorder.ts';
import { callOf } from './wire.ts';

const loopback = [
  'localhost',
  'LocalHost',
  '127.0.0.1',
  '127.0.0.2',
  '127.255.255.254',
  '::1',
  '0:0:0:0:0:0:0:1',
  '::ffff:127.0.0.1',
  '::FFFF:7f00:1',
  '::ffff:127.8.9.10',
];

const elsewhere = [
  '',
  '0.0.0.0',
  '::',
  '128.0.0.1',
  '12.7.0.1',
  '127.0.0.256',
  '127.0.0',
  '127.1',
  '127.0.0.01',
  '127.0.0.1.',
  '127.0.0.1.evil.test',
  '2130706433',
  'localhost.',
  'localhost.evil.test',
  'evil.localhost',
  '::2',
  '::127.0.0.1',
  '::ffff:128.0.0.1',
  '::ffff:8000:1',
  '64:ff9b::127.0.0.1',
  'fe80::1',
  '::1%lo',
  '[::1]',
  '::1]@[::1',
  ' 127.0.0.1',
];

const echo = createServer({ name: 'echo', version: '1.0.0' }, { logger: silentLogger }).tool('echo', {}, () => 'x');

/** The value of a `Host` header. */
const inHeader = (host: string): string => (host.includes(':') ? `[${host}]` : host);

describe('isLoopback', () => {
  it.each(loopback)('answers yes to %j', (host) => expect(isLoopback(host)).toBe(true));
  it.each(elsewhere)('answers no to %j', (host) => expect(isLoopback(host)).toBe(false));
});

describe('a server', () => {
  it.each(loopback)('[HTTP-02] [HTTP-03] [HTTP-04] answers to the Host and the Origin %s', async (host) => {
    const route = await openFetchRoute(echo);
    for (const port of ['', ':4177']) {
      const headers = { host: `${inHeader(host)}${port}`, origin: `http://${inHeader(host)}${port}` };
      expect((await route.call(postOf(callOf('echo'), headers))).status).toBe(200);
    }
  });

  it.each(elsewhere.filter((host) => /^\S+$/.test(host)))(
    '[HTTP-02] [HTTP-03] answers 403 to the Host or the Origin %s',
    async (host) => {
      const route = await openFetchRoute(echo);
      expect((await route.call(postOf(callOf('echo'), { host: `[${host}]` }))).status).toBe(403);
      expect((await route.call(postOf(callOf('echo'), { host }))).status).toBe(host === '[::1]' ? 200 : 403);
      const origin = `http://${inHeader(host)}`;
      expect((await route.call(postOf(callOf('echo'), { host: 'localhost', origin }))).status).toBe(403);
    },
  );

  it.each(loopback)('[HTTP-04] listens on %s without authentication, and answers there', async (host) => {
    const running = await serveHttp(echo, { port: 0, host }).catch((error: NodeJS.ErrnoException) => error);
    // Systems differ in which of their loopback addresses can be listened on; each must at least not be refused here.
    if (running instanceof Error) return expect(running.code).toMatch(/^(EADDRNOTAVAIL|EAFNOSUPPORT|EINVAL)$/);
    onTestFinished(() => running.close({ graceMs: 0 }));
    const { headers = {}, body } = postOf(callOf('echo'));
    const status = await new Promise((resolve, reject) => {
      const request = httpRequest(running.url, { method: 'POST', headers, agent: false }, (response) => {
        response.resume().on('end', () => resolve(response.statusCode));
      });
      request.on('error', reject).end(body);
    });
    return expect(status).toBe(200);
  });

  it.each(elsewhere)('[HTTP-04] refuses to listen on %j without authentication', async (host) => {
    await expect(serveHttp(echo, { port: 0, host })).rejects.toThrow(/without authentication/);
  });

  it('says at once all that an address beyond loopback lacks', async () => {
    const listening = serveHttp(echo, { port: 0, host: '0.0.0.0' });
    await expect(listening).rejects.toThrow(/without authentication.*besides.*keys for request state/);
    const asksNothing = createServer({ name: 'echo', version: '1.0.0' }, { state: false, logger: silentLogger });
    await expect(serveHttp(asksNothing, { port: 0, host: '0.0.0.0' })).rejects.toThrow(/pass `authenticate`$/);
  });
});

describe('serveHttp beyond loopback', () => {
  it.each([
    [[], 1],
    [['localhost'], 1],
    [['mcp.example.com'], 0],
  ])('warns that no caller by another name is let in, and names allowedHosts: %j', async (allowedHosts, warnings) => {
    const logger = createRecorder();
    const server = createServer({ name: 'away', version: '1.0.0' }, { logger, state: false });
    await using _running = await serveHttp(server, {
      port: 0,
      host: '0.0.0.0',
      allowedHosts,
      authenticate: () => undefined,
    });
    const warned = logger.lines.filter(({ level, message }) => level === 'warn' && message.includes('allowedHosts'));
    expect(warned).toHaveLength(warnings);
  });
});

import { createServer } from '@switchyard/server';
import type { Endpoint } from '@switchyard/server/endpoint';
import { serveEndpoint, serveEndpointStdio, serveStdio } from '@switchyard/server/node';
import { PassThrough } from 'node:stream';
import { describe, expect, it, onTestFinished, vi } from 'vitest';

import { postOf } from './http-route.ts';
import { createRecorder } from './recorder.ts';
import { callOf } from './wire.ts';

/** An endpoint whose streams cannot be ended, and whose one tool waits. */
function createFailing() {
  const logger = createRecorder();
  const started = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  const server = createServer({ name: 'failing', version: '1.0.0' }, { logger }).tool('wait', {}, async () => {
    started.resolve();
    await release.promise;
    return 'done';
  });
  const endpoint: Endpoint = {
    ...server.endpoint(),
    endStreams: () => Promise.reject(new Error('the store is gone')),
  };
  const logged = (): unknown[] => logger.lines.filter(({ level }) => level === 'error').map(({ message }) => message);
  return { endpoint, started: started.promise, release: release.resolve, logged };
}

describe('the end of an endpoint whose streams cannot be ended', () => {
  it('waits for what runs over stdio, and is logged', async () => {
    const { endpoint, started, release, logged } = createFailing();
    const [input, output] = [new PassThrough(), new PassThrough()];
    const served = await serveEndpointStdio(endpoint, { input, output });
    input.write(`${JSON.stringify(callOf('wait'))}\n`);
    await started;
    input.end();
    await expect.poll(logged).toEqual(['what stayed open could not be ended in order']);
    release();
    await served.closed;
    expect(String(output.read())).toContain('"done"');
  });

  it('waits for what runs over HTTP, and is logged', async () => {
    const { endpoint, started, release, logged } = createFailing();
    const running = await serveEndpoint(endpoint, { port: 0 });
    const answered = fetch(running.url, { method: 'POST', ...(postOf(callOf('wait')) as RequestInit) });
    await started;
    const closed = running.close();
    release();
    expect(await (await answered).text()).toContain('"done"');
    await closed;
    expect(logged()).toEqual(['what stayed open could not be ended in order']);
  });

  it('is over after one grace over HTTP, though neither what runs nor what stays open ever ends', async () => {
    const { endpoint, started } = createFailing();
    const running = await serveEndpoint({ ...endpoint, endStreams: () => new Promise(() => undefined) }, { port: 0 });
    const answered = fetch(running.url, { method: 'POST', ...(postOf(callOf('wait')) as RequestInit) });
    await started;
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const closed = running.close({ graceMs: 60_000 });
    await vi.advanceTimersByTimeAsync(60_000);
    await closed;
    await expect(answered).rejects.toThrow(TypeError);
  });
});

describe('a server over stdio', () => {
  it('refuses to start with a key that is too short, as over HTTP', async () => {
    const keys = (): readonly string[] => [Buffer.alloc(16, 1).toString('base64url')];
    const server = createServer({ name: 'short', version: '1.0.0' }, { state: { keys } });
    const streams = { input: new PassThrough(), output: new PassThrough() };
    await expect(serveStdio(server, streams)).rejects.toThrow(/128 bits/);
  });
});

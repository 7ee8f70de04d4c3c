import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';

import { expect, test } from 'vitest';

import { runInGroup } from '../conformance/run-in-group.ts';

const nobody = new AbortController().signal;

test('answers the exit code and the output of a command', async () => {
  const finished = await runInGroup(process.execPath, ['-e', 'console.log("out"); process.exit(3)'], {
    timeoutMs: 20_000,
    signal: nobody,
  });
  expect(finished).toMatchObject({ code: 3, timedOut: false });
  expect(finished.output).toContain('out');
});

test('ends a command that takes too long', async () => {
  const finished = await runInGroup(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], {
    timeoutMs: 50,
    signal: nobody,
  });
  expect(finished.timedOut).toBe(true);
});

test('ends what a command leaves behind', async () => {
  const gone = Promise.withResolvers<void>();
  const server = createServer((socket: Socket) => {
    socket.once('error', () => undefined);
    socket.once('close', () => gone.resolve());
    socket.write('connected');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const grandchild = `require('net').connect(${port}, '127.0.0.1').on('data', (data) => process.send('up'))`;
  const parent = `
    const child = require('child_process').fork('-', { execArgv: ['-e', ${JSON.stringify(grandchild)}] });
    child.once('message', () => process.exit(0));
  `;
  try {
    const finished = await runInGroup(process.execPath, ['-e', parent], { timeoutMs: 20_000, signal: nobody });
    expect(finished).toMatchObject({ code: 0, timedOut: false });
    await gone.promise;
  } finally {
    server.close();
  }
});

test('rejects with the reason of the signal, and ends the command', async () => {
  const stop = new AbortController();
  const running = runInGroup(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], {
    timeoutMs: 20_000,
    signal: stop.signal,
  });
  stop.abort(new Error('enough'));
  await expect(running).rejects.toThrow('enough');
});

import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';

import { describe, expect, it, onTestFinished } from 'vitest';

import { callOf, type Received } from './wire.ts';

const program = fileURLToPath(new URL('./fixtures/stdio-server.ts', import.meta.url));
const awaited = fileURLToPath(new URL('./fixtures/stdio-awaited.ts', import.meta.url));

interface ServerProcess {
  readonly child: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly stdout: () => string;
  readonly stderr: () => string;
  /** Exit code and signal, once the process is gone. */
  readonly gone: Promise<[code: number | null, signal: string | null]>;
  send(...messages: readonly object[]): void;
  /** Waits until the text of a stream fits. */
  until(stream: 'stdout' | 'stderr', fits: (text: string) => boolean): Promise<void>;
}

function start({
  read = true,
  file = program,
}: { readonly read?: boolean; readonly file?: string } = {}): ServerProcess {
  const child = spawn(process.execPath, ['--conditions=@switchyard/source', file], { stdio: 'pipe' });
  onTestFinished(() => void child.kill('SIGKILL'));
  const texts = { stdout: '', stderr: '' };
  const waiting = new Set<() => void>();
  for (const stream of ['stdout', 'stderr'] as const) {
    if (!read) continue;
    child[stream].setEncoding('utf8').on('data', (chunk: string) => {
      texts[stream] += chunk;
      for (const look of waiting) look();
    });
  }
  child.stdin.on('error', () => undefined);
  return {
    child,
    stdout: () => texts.stdout,
    stderr: () => texts.stderr,
    gone: once(child, read ? 'close' : 'exit') as Promise<[number | null, string | null]>,
    send: (...messages) => void child.stdin.write(messages.map((message) => `${JSON.stringify(message)}\n`).join('')),
    until: (stream, fits) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          if (!fits(texts[stream])) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        child.once('exit', () => reject(new Error(`the server ended: ${texts.stderr}`)));
        look();
      }),
  };
}

function messagesOf(stdout: string): Received[] {
  return stdout
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Received);
}

const echo = (id: number, text = 'hello'): object => callOf('echo', { text }, { id });

describe('a server process on stdio', () => {
  it('[STDIO-02] [STDIO-04] [stdio-02] writes nothing but messages to standard output, one a line, and what is printed to standard error', async () => {
    const server = start();
    server.send(callOf('print', {}, { id: 1 }), echo(2, 'a\r\nb'));
    server.child.stdin.end();
    expect(await server.gone).toEqual([0, null]);
    expect(messagesOf(server.stdout()).map(({ id }) => id)).toEqual([1, 2]);
    expect(server.stdout()).not.toContain('\r');
    expect(server.stderr()).toContain(
      'printed with console.log\nprinted with process.stdout\nprinted with console.error\n',
    );
  });

  it('[STDIO-14] [stdio-09] ends with code 0 when its input ends, whatever still holds the process', async () => {
    const server = start();
    server.send(echo(1));
    await server.until('stdout', (text) => text.includes('"id":1'));
    server.child.stdin.end();
    expect(await server.gone).toEqual([0, null]);
  });

  it('[STDIO-14] [stdio-09] aborts what still runs when its input ends, and waits for no handler that ignores it', async () => {
    const server = start();
    server.send(callOf('hold', {}, { id: 1 }), callOf('ignore', {}, { id: 2 }), echo(3));
    await server.until('stdout', (text) => text.includes('"id":3'));
    server.child.stdin.end();
    expect(await server.gone).toEqual([0, null]);
    expect(server.stderr()).toContain('aborted: Error: the input ended');
    expect(server.stdout()).not.toMatch(/"id":[12]/);
  });

  it.each([
    ['a handler never ends', [callOf('ignore', {}, { id: 1 }), callOf('echo', {}, { id: 2 })], [2]],
    ['everything is answered', [callOf('echo', {}, { id: 2 })], [2]],
    ['nothing came', [], []],
  ])(
    '[STDIO-14] settles `closed` and ends with code 0 where nothing else holds the process and %s',
    async (_, sent, ids) => {
      const server = start({ file: awaited });
      server.send(...sent);
      server.child.stdin.end();
      expect(await server.gone).toEqual([0, null]);
      expect(server.stderr()).toMatch(/^closed$/m);
      expect(messagesOf(server.stdout()).map(({ id }) => id)).toEqual(ids);
    },
  );

  it('answers everything that came before its input ended, a last line without an end included', async () => {
    const server = start();
    server.child.stdin.end(Array.from({ length: 500 }, (_, id) => JSON.stringify(echo(id))).join('\n'));
    expect(await server.gone).toEqual([0, null]);
    expect(messagesOf(server.stdout()).map(({ id }) => id)).toEqual(Array.from({ length: 500 }, (_, id) => id));
  });

  it('[stdio-10] ends when nobody reads any more, and does not try again', async () => {
    const server = start();
    server.send(echo(1));
    await server.until('stdout', (text) => text.includes('"id":1'));
    server.child.stdout.destroy();
    server.child.stderr.destroy();
    const exited = once(server.child, 'exit');
    server.send(echo(2), callOf('print', {}, { id: 3 }), echo(4));
    const [, signal] = (await exited) as [number | null, string | null];
    expect(signal).toBeNull();
  });

  it('[STDIO-14] ends when its input ends although nobody reads what it wrote', async () => {
    const server = start({ read: false });
    server.send(callOf('repeat', { times: 3_000_000 }, { id: 1 }), callOf('repeat', { times: 3_000_000 }, { id: 2 }));
    server.child.stdin.end();
    expect(await server.gone).toEqual([0, null]);
  });

  it('[stdio-05] takes a line of 4 MiB, and answers a longer one with an error and the next with its result', async () => {
    const server = start();
    const limit = 4 * 1024 * 1024;
    const empty = JSON.stringify(callOf('echo', { text: '' }, { id: 1 })).length;
    server.send(callOf('echo', { text: 'q'.repeat(limit - empty) }, { id: 1 }));
    server.send(callOf('echo', { text: 'q'.repeat(limit - empty + 1) }, { id: 1 }));
    server.send(echo(3));
    server.child.stdin.end();
    await server.gone;
    const [first, second, third] = messagesOf(server.stdout());
    expect(first).toMatchObject({ result: { content: [{ text: 'q'.repeat(limit - empty) }] } });
    expect(second).toEqual({
      jsonrpc: '2.0',
      error: { code: -32600, message: expect.stringContaining(String(limit)) },
    });
    expect(third).toMatchObject({ id: 3, result: { resultType: 'complete' } });
  });

  it('[schema-08] is not held up by a pattern of nested quantifiers', async () => {
    const server = start();
    server.send(callOf('pattern', { k: `${'a'.repeat(5_000)}!` }, { id: 1 }), echo(2));
    server.child.stdin.end();
    await server.gone;
    const [pattern, other] = messagesOf(server.stdout());
    expect(pattern).toMatchObject({ id: 1, result: { isError: true } });
    expect(other).toMatchObject({ id: 2, result: { resultType: 'complete' } });
  });

  it('has written the cause of a failure when its caller has the answer, so that a signal right after loses nothing', async () => {
    const server = start();
    server.send(callOf('fail', {}, { id: 1 }));
    await server.until('stdout', (text) => text.includes('"id":1'));
    server.child.kill('SIGTERM');
    expect(await server.gone).toEqual([null, 'SIGTERM']);
    expect(server.stderr()).toContain('the cause of the failure');
  });

  it('writes the cause of a failure to standard error while it goes on, under the reference of the answer', async () => {
    const server = start();
    server.send(callOf('fail', {}, { id: 1 }));
    await server.until('stdout', (text) => text.includes('"id":1'));
    const [, reference = ''] = /reference ([0-9a-f-]{36})/.exec(server.stdout()) ?? [];
    expect(server.stdout()).not.toContain('the cause of the failure');
    await server.until('stderr', (text) => text.includes('the cause of the failure') && text.includes(reference));
    expect(reference).not.toBe('');
  });
});

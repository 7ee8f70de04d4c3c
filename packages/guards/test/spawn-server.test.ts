import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { SpawnError, spawnServer } from '@switchyard/guards/node';
import type { ServerProcess, SpawnServerOptions } from '@switchyard/guards/node';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { isProcessRunning } from './is-process-running.ts';

const run = promisify(execFile);
const isPosix = process.platform !== 'win32';
let folder = '';

beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'switchyard-guards-')));
});
afterAll(() => rmSync(folder, { recursive: true }));

function fixture(name: string): string {
  return fileURLToPath(new URL(`./fixtures/${name}`, import.meta.url));
}

interface StartOptions extends Partial<SpawnServerOptions> {
  readonly args: readonly string[];
}

async function start(options: StartOptions): Promise<ServerProcess> {
  const server = await spawnServer({ command: process.execPath, ...options });
  onTestFinished(() => server.close({ graceMs: 0 }));
  return server;
}

/** The lines of a stream, one a call. */
function linesOf(stream: Readable): () => Promise<string> {
  const lines = createInterface({ input: stream })[Symbol.asyncIterator]();
  return async () => {
    const next = await lines.next();
    if (next.done === true) throw new Error('the stream ended');
    return next.value;
  };
}

interface Echo {
  readonly line: string;
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}

/** Sends a line to the echo fixture and takes its answer. */
async function echo(server: ServerProcess, line = 'hello'): Promise<Echo> {
  server.stdin.write(`${line}\n`);
  return JSON.parse(await linesOf(server.stdout)()) as Echo;
}

async function failureOf(options: SpawnServerOptions): Promise<SpawnError> {
  const error: unknown = await spawnServer(options).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof SpawnError)) throw new Error(`expected a SpawnError, got ${String(error)}`);
  return error;
}

describe('a started server', () => {
  it('speaks over stdin and stdout, with the arguments, folder and variables that it was given', async () => {
    const server = await start({ args: [fixture('echo.js'), 'a', 'b c'], cwd: folder, env: { ORDERS_DB: 'x=y' } });
    const answer = await echo(server, 'héllo');
    expect(answer).toMatchObject({ line: 'héllo', argv: ['a', 'b c'], cwd: folder });
    expect(answer.env['ORDERS_DB']).toBe('x=y');
  });

  it('gets its arguments exactly, whatever a shell would do with them', async () => {
    const args = [
      '-y',
      'some-pkg',
      '--label',
      'a & calc.exe',
      'C:\\Tools Dir\\x y',
      '$HOME `id` "q" \'s\'',
      '*',
      '',
      '\n',
    ];
    const server = await start({ args: [fixture('echo.js'), ...args] });
    expect((await echo(server)).argv).toEqual(args);
  });

  it.runIf(isPosix)('inherits the minimal environment only', async () => {
    const baseEnv = {
      PATH: '/bin',
      HOME: '/home/mira',
      TERM: '() { :; }',
      SECRET_TOKEN: 'hidden',
      NODE_OPTIONS: '--nonsense',
    };
    const server = await start({ args: [fixture('echo.js')], baseEnv, env: { HOME: '/srv', EXTRA: '() kept' } });
    expect((await echo(server)).env).toEqual({ PATH: '/bin', HOME: '/srv', EXTRA: '() kept' });
  });

  it('reports its exit code and its last words', async () => {
    const server = await start({ args: [fixture('end.js'), '7'] });
    expect(await server.exited).toEqual({ code: 7, signal: null });
    expect(server.stderrTail()).toBe('first\nsecond\nlast words: é');
    expect(server.stderrTail(1)).toBe('last words: é');
  });

  it.runIf(isPosix)('reports the signal that ended it', async () => {
    const server = await start({ args: [fixture('end.js'), 'SIGKILL'] });
    expect(await server.exited).toEqual({ code: null, signal: 'SIGKILL' });
  });

  it('hands on each line of stderr', async () => {
    const lines: string[] = [];
    const server = await start({ args: [fixture('end.js'), '0'], onStderr: (line) => lines.push(line) });
    await server.exited;
    expect(lines).toEqual(['first', 'second', 'last words: é']);
  });

  it('is never blocked by a flood on stderr, of which the last bytes are kept', async () => {
    const server = await start({ args: [fixture('flood.js')], stderrBytes: 1000 });
    expect(await linesOf(server.stdout)()).toBe('done');
    await server.exited;
    const tail = server.stderrTail(1000).split('\n');
    expect(tail.at(-1)).toBe(`${'50000'.padStart(98, '.')}€`);
    expect(tail.map((line) => line.length)).toEqual(Array(9).fill(99));
  });

  it('[stdio-08] that exits at once, one that does not exist and one that works do not disturb each other', async () => {
    // Vitest fails this run on an unhandled error or rejection.
    const [gone, absent, fine] = await Promise.allSettled([
      start({ args: ['-e', 'process.exit(7)'] }),
      start({ command: 'no-such-binary-zz9', args: [] }),
      start({ args: [fixture('echo.js')] }),
    ]);
    if (gone.status !== 'fulfilled' || fine.status !== 'fulfilled') throw new Error('two of them start');
    gone.value.stdin.write('{"jsonrpc":"2.0"}\n');
    expect((await gone.value.exited).code).toBe(7);
    gone.value.stdin.write('{"jsonrpc":"2.0"}\n');
    expect(absent).toMatchObject({ status: 'rejected', reason: { code: 'command-not-found', systemCode: 'ENOENT' } });
    expect((await echo(fine.value)).line).toBe('hello');
    await gone.value.close();
  });

  it('[stdio-10] that no longer reads makes writes fail through their callback only', async () => {
    // EPIPE means that the peer is gone, and no more is raised.
    const server = await start({ args: [fixture('deaf.js')] });
    expect(await linesOf(server.stdout)()).toBe('deaf');
    const write = (): Promise<unknown> => new Promise((resolve) => server.stdin.write('x'.repeat(100_000), resolve));
    const errors = [await write(), await write(), await write()];
    expect(errors.map((error) => (error as { code?: string } | undefined)?.code)).toEqual([
      expect.stringMatching(/^(?:EPIPE|ECONNRESET)$/),
      'ERR_STREAM_DESTROYED',
      'ERR_STREAM_DESTROYED',
    ]);
    expect(isProcessRunning(server.pid)).toBe(true);
    await server.close({ graceMs: 0 });
    expect(isProcessRunning(server.pid)).toBe(false);
  });
});

describe('closing a server', () => {
  it('[STDIO-13] ends stdin and waits, so that a server can exit by itself', async () => {
    const server = await start({ args: [fixture('echo.js')] });
    await echo(server);
    await server.close();
    expect(await server.exited).toEqual({ code: 0, signal: null });
  });

  it.runIf(isPosix)('[STDIO-13] sends SIGTERM to a server that stays after the end of stdin', async () => {
    const args = ['-e', 'setTimeout(() => {}, 60_000); process.stdin.resume(); console.log(1)'];
    const server = await start({ args });
    await linesOf(server.stdout)();
    await server.close({ graceMs: 1 });
    expect(await server.exited).toEqual({ code: null, signal: 'SIGTERM' });
  });

  it.runIf(isPosix)('[STDIO-13] sends SIGKILL to a server that ignores SIGTERM', async () => {
    const server = await start({ args: [fixture('stubborn.js')] });
    await linesOf(server.stdout)();
    await server.close({ graceMs: 1 });
    expect(await server.exited).toEqual({ code: null, signal: 'SIGKILL' });
    expect(server.stderrTail()).toBe('not yet');
  });

  it.each(['stay', 'neither'])('ends the grandchildren of a server that does: %s', async (how) => {
    const server = await start({ args: [fixture('parent.js'), how] });
    const grandchild = Number(await linesOf(server.stdout)());
    expect(isProcessRunning(grandchild)).toBe(true);
    await server.close({ graceMs: 50 });
    expect([isProcessRunning(server.pid), isProcessRunning(grandchild)]).toEqual([false, false]);
  });

  it.runIf(isPosix)('ends the grandchildren that a server left behind when it exited', async () => {
    const server = await start({ args: [fixture('parent.js'), 'leave'] });
    const grandchild = Number(await linesOf(server.stdout)());
    server.stdin.write('leave\n');
    expect(await server.exited).toEqual({ code: 3, signal: null });
    expect(isProcessRunning(grandchild)).toBe(true);
    await server.close();
    expect(isProcessRunning(grandchild)).toBe(false);
  });

  it('is the same call a second time, and works after the server has gone', async () => {
    const server = await start({ args: [fixture('end.js'), '0'] });
    await server.exited;
    const first = server.close();
    expect(server.close({ graceMs: 0 })).toBe(first);
    await first;
    await server[Symbol.asyncDispose]();
    await server.close();
  });

  it('lets the reader have what the server wrote last', async () => {
    const script = 'process.stdin.resume().on("end", () => { process.stdout.write("x".repeat(200_000) + "end"); })';
    const server = await start({ args: ['-e', script] });
    let received = '';
    server.stdout.on('data', (chunk: Buffer) => (received += chunk.toString()));
    await server.close();
    expect(received.length).toBe(200_003);
    expect(received.endsWith('end')).toBe(true);
  });

  it.runIf(isPosix)('closes the descriptors although a process that left the group holds the other ends', async () => {
    const server = await start({ args: [fixture('daemon.js')] });
    const daemon = Number(await linesOf(server.stdout)());
    onTestFinished(() => void process.kill(daemon, 'SIGKILL'));
    await server.close();
    expect(await server.exited).toEqual({ code: 0, signal: null });
    expect([server.stdin.closed, server.stdout.closed]).toEqual([true, true]);
    expect(isProcessRunning(daemon)).toBe(true);
  });

  it.runIf(process.platform === 'linux')(
    'leaves no process, descriptor, listener or warning after 100 starts',
    async () => {
      const warnings: Error[] = [];
      const onWarning = (warning: Error): unknown => warnings.push(warning);
      process.on('warning', onWarning);
      onTestFinished(() => void process.off('warning', onWarning));
      await (await spawnServer({ command: 'cat' })).close();
      const descriptors = (): number => readdirSync('/proc/self/fd').length;
      const before = { descriptors: descriptors(), listeners: process.listenerCount('exit') };

      const servers = await Promise.all(Array.from({ length: 100 }, () => spawnServer({ command: 'cat' })));
      expect(servers.filter(({ pid }) => isProcessRunning(pid))).toHaveLength(100);
      const failed = Array.from({ length: 20 }, () => failureOf({ command: 'no-such-binary-zz9' }));
      await Promise.all(failed);
      await Promise.all(servers.map((server) => server.close()));

      expect(servers.filter(({ pid }) => isProcessRunning(pid))).toEqual([]);
      await expect.poll(descriptors).toBe(before.descriptors);
      expect(process.listenerCount('exit')).toBe(before.listeners);
      expect(warnings).toEqual([]);
    },
  );
});

describe.runIf(isPosix)('a process that ends without closing its servers', () => {
  it.each(['exit', 'throw'])('takes them with it: %s', async (how) => {
    const args = ['--conditions=@switchyard/source', fixture('exit-with-servers.ts'), how];
    const { stdout } = await run(process.execPath, args).catch((error: unknown) => error as { stdout: string });
    const pids = JSON.parse(stdout) as number[];
    expect(pids.length).toBe(3);
    await expect.poll(() => pids.filter(isProcessRunning)).toEqual([]);
  });
});

describe('a server that cannot start', () => {
  it('is explained by PATH when the command is in none of its folders', async () => {
    const error = await failureOf({
      command: 'no-such-binary-zz9',
      baseEnv: { PATH: ['/opt/a', '/opt/b'].join(delimiter) },
    });
    expect(error).toMatchObject({ name: 'SpawnError', code: 'command-not-found', systemCode: 'ENOENT' });
    expect(error.message).toContain('"no-such-binary-zz9" was not found');
    expect(error.message).toContain(`PATH, "/opt/a${delimiter}/opt/b"`);
  });

  it.each([
    ['node server.js', 'node'],
    ['npx -y @scope/server --key=hidden-value', 'npx'],
    [`${process.execPath} ./server.js`, process.execPath],
  ])('is told that the command holds its arguments: %s', async (command, program) => {
    const { code, message } = await failureOf({ command });
    expect(code).toBe('command-not-found');
    expect(message).toContain(`give "${program}" as the command and the rest as arguments`);
    expect(message).not.toContain('hidden-value');
  });

  it('is told which file is missing', async () => {
    const error = await failureOf({ command: './bin/missing', cwd: folder });
    expect(error.code).toBe('command-not-found');
    expect(error.message).toContain(`there is no file "./bin/missing" (a relative path counts from "${folder}")`);
  });

  it('is told that the working directory is missing, and not the command', async () => {
    const cwd = join(folder, 'missing');
    const error = await failureOf({ command: process.execPath, cwd });
    expect(error.code).toBe('cwd-not-found');
    expect(error.message).toContain(`the working directory "${cwd}" does not exist`);
    expect(error.message).not.toContain('PATH');
  });

  it('is told that the working directory is a file', async () => {
    const cwd = join(folder, 'a-file');
    writeFileSync(cwd, '');
    const error = await failureOf({ command: process.execPath, cwd });
    expect(error.code).toBe('cwd-not-found');
    expect(error.message).toContain('is a file');
  });

  it.runIf(isPosix)('is told that the file is not executable', async () => {
    const command = join(folder, 'server.sh');
    writeFileSync(command, '#!/bin/sh\n', { mode: 0o644 });
    const error = await failureOf({ command });
    expect(error).toMatchObject({ code: 'not-executable', systemCode: 'EACCES' });
    expect(error.message).toContain('make it executable');
  });

  it.runIf(isPosix)('is told that the command is a folder', async () => {
    const error = await failureOf({ command: folder });
    expect(error).toMatchObject({ code: 'not-executable', systemCode: 'EACCES' });
    expect(error.message).toMatch(/is a folder: name the program in it/);
  });

  it.runIf(isPosix)('is told that the interpreter of its script is missing', async () => {
    const command = join(folder, 'script');
    writeFileSync(command, '#!/no/such/interpreter\n', { mode: 0o755 });
    const error = await failureOf({ command: './script', cwd: folder });
    expect(error.code).toBe('command-not-found');
    expect(error.message).toMatch(/exists, but the interpreter/);
  });

  it.each<[string, Partial<SpawnServerOptions>]>([
    ['an argument with a null byte', { args: ['hidden-value\0'] }],
    ['a variable with a null byte', { env: { TOKEN: 'hidden-value\0' } }],
    ['an empty command', { command: '', args: ['hidden-value'] }],
    ['arguments that are too long', { args: ['hidden-value'.repeat(1_000_000)] }],
  ])('is told about %s, without its arguments or variables', async (_kind, options) => {
    const error = await failureOf({ command: process.execPath, ...options });
    expect(error.code).toBe('invalid-argument');
    expect(JSON.stringify([error.message, error.stack, { ...error }])).not.toContain('hidden-value');
    expect(error.cause).toBeUndefined();
  });

  it('shows a command from outside without control characters', async () => {
    const error = await failureOf({ command: '\x1b[31mno-such\u202e-binary' });
    expect(error.message).toContain('"no-such-binary"');
  });
});

describe.runIf(isPosix)('a Windows command shim', () => {
  it('[stdio-11] is run by cmd.exe with each argument escaped, so that the program gets exactly the arguments', async () => {
    // The platform is faked in a process of its own and a recorder in the place of cmd.exe.
    const args = ['-y', 'some-pkg', '--label', 'a & calc.exe', 'C:\\Tools Dir\\x y', '100% "quoted\\"'];
    const bin = join(folder, 'bin');
    const recorder = join(folder, 'cmd.exe');
    writeFileSync(recorder, `#!${process.execPath}\nconsole.log(JSON.stringify(process.argv.slice(2)));\n`);
    chmodSync(recorder, 0o755);
    mkdirSync(bin);
    writeFileSync(join(bin, 'npx.cmd'), '@echo off\r\n');

    const env = { PATH: bin, PATHEXT: '.cmd', comspec: recorder };
    const { stdout } = await run(
      process.execPath,
      ['--conditions=@switchyard/source', fixture('on-windows.js'), ...args],
      { env },
    );
    const [d, s, c, commandLine, ...rest] = JSON.parse(stdout) as string[];
    expect([d, s, c, rest]).toEqual(['/d', '/s', '/c', []]);
    const inner = /^"(.*)"$/s.exec(commandLine ?? '')?.[1] ?? '';
    // Nothing that cmd.exe would act on stands without its escape character.
    expect(inner.replace(/\^./g, '')).not.toMatch(/["&|<>()%!^]/);
    expect(windowsArguments(inner.replace(/\^(.)/g, '$1'))).toEqual(['npx', ...args]);
  });
});

/** Splits a command line as the Microsoft C runtime does. */
function windowsArguments(line: string): string[] {
  const result: string[] = [];
  for (const [argument] of line.matchAll(/(?:[^\s"]|"(?:\\.|[^"\\])*")+/gs)) {
    const text = argument.replace(
      /(\\*)"/g,
      (_match, slashes: string) => '\\'.repeat(slashes.length >> 1) + (slashes.length % 2 ? '"' : ''),
    );
    result.push(text);
  }
  return result;
}

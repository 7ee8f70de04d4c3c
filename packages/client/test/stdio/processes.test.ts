import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { isProcessRunning } from '../../../guards/test/is-process-running.ts';
import { type Client, type ClientWarning, type ConnectOptions } from '../../src/index.ts';
import { type Command, connect } from '../../src/node/index.ts';
import { failure } from '../expect-failure.ts';
import { fixture } from '../fixture-command.ts';
import { childrenOf } from './children-of.ts';

const clients: Client[] = [];
const warnings: ClientWarning[] = [];
const isPosix = process.platform !== 'win32';

afterEach(async () => {
  warnings.length = 0;
  await Promise.all(clients.splice(0).map((client) => client.close()));
});

async function open(command: Command, options: ConnectOptions = {}): Promise<Client> {
  const client = await connect(command, { name: 'depot', onWarning: (warning) => warnings.push(warning), ...options });
  clients.push(client);
  return client;
}

async function say(client: Client, tool: string): Promise<string> {
  const [block] = (await client.callTool(tool)).content;
  return block?.type === 'text' ? block.text : '';
}

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** How many bytes buffers hold that somebody still needs. */
function bytesHeld(): number {
  collect();
  return process.memoryUsage().arrayBuffers;
}

const codes = (): string[] => warnings.map(({ code }) => code);

describe('what a process writes', () => {
  it('may start with a coloured banner, each line of which is reported without its control characters', async () => {
    const client = await open(fixture('odd-server', 'banner'));
    expect(client.era).toBe('modern');
    expect(new Set(codes())).toEqual(new Set(['junk-output']));
    expect(warnings[0]?.message).toContain('Depot 3.1');
    for (const { message } of warnings) expect(message).not.toMatch(/\p{Cc}/u);
  });

  it('may start with a byte order mark, as may each of its lines', async () => {
    const client = await open(fixture('odd-server', 'bom'));
    expect(await say(client, 'bom')).toBe('after a mark');
    expect(warnings).toEqual([]);
  });

  it('may hold NUL bytes, which are junk', async () => {
    const client = await open(fixture('odd-server'));
    expect(await say(client, 'nul')).toBe('after NUL');
    expect(codes()).toEqual(['junk-output', 'junk-output']);
  });

  it('may be 100 MB without a line end, of which no more than the limit is ever held', async () => {
    const flooded = Promise.withResolvers<void>();
    const command = { ...fixture('odd-server'), onStderr: () => flooded.resolve() };
    const client = await open(command, { maxMessageBytes: 4 * 1024 * 1024 });
    const before = bytesHeld();
    const call = failure(client.callTool('flood', {}, { timeoutMs: 25_000 }));
    await flooded.promise;
    // What was collected is given back a little later.
    await expect.poll(() => bytesHeld() - before, { timeout: 5000 }).toBeLessThan(16 * 1024 * 1024);
    expect(await say(client, 'ebb')).toBe('after the flood');
    await client.close();
    expect((await call).code).toBe('closed');
    expect(codes()).toEqual(['message-too-large']);
  });

  it('[STDIO-05] [STDIO-06] to stderr is kept, and is no error', async () => {
    const lines: string[] = [];
    const client = await open({ ...fixture('odd-server'), onStderr: (line) => lines.push(line) });
    expect(await say(client, 'stderr')).toBe('all is well');
    await expect.poll(() => lines).toEqual(['ERROR: everything is on fire']);
    expect(warnings).toEqual([]);
  });
});

describe('a process', () => {
  it('that closes its stdin and goes on is ended with the next call, and the one after gets a new one', async () => {
    const client = await open(fixture('odd-server'));
    const first = Number(await say(client, 'pid'));
    expect(await say(client, 'close-stdin')).toBe('deaf');
    const error = await failure(
      (async () => {
        // Until the closing has come through, the pipe takes what nobody reads.
        for (;;) await client.callTool('hang', {}, { timeoutMs: 1500 }).catch(rethrowUnlessTimeout);
      })(),
    );
    expect(error).toMatchObject({ code: 'outcome-unknown', server: 'depot' });
    expect(error.message).toContain('closed its stdin and goes on');
    expect(Number(await say(client, 'pid'))).not.toBe(first);
    await vi.waitFor(() => expect(isProcessRunning(first)).toBe(false), 10_000);
  });

  it.runIf(isPosix)('that ignores the end of its stdin and SIGTERM is gone after close', async () => {
    const client = await open(fixture('odd-server', 'stubborn'));
    const pid = Number(await say(client, 'pid'));
    await client.close();
    expect(isProcessRunning(pid)).toBe(false);
  });

  it.runIf(isPosix)(
    'that leaves a grandchild behind with its stdout does not hide its end, and both are gone',
    async () => {
      const client = await open(fixture('odd-server'));
      const error = await failure(client.callTool('orphan'));
      expect(error.message).toContain('exit code 5');
      const orphan = Number(/orphan (\d+)/.exec(error.stderr ?? '')?.[1]);
      expect(orphan).toBeGreaterThan(0);
      await client.close();
      expect(isProcessRunning(orphan)).toBe(false);
    },
  );

  it('is gone after two closes at once, which are one', async () => {
    const client = await open(fixture('odd-server'));
    const pid = Number(await say(client, 'pid'));
    await Promise.all([client.close(), client.close(), client[Symbol.asyncDispose]()]);
    expect(isProcessRunning(pid)).toBe(false);
  });

  it('is gone after a close while it starts again', async () => {
    const client = await open(fixture('odd-server'));
    const pid = Number(await say(client, 'pid'));
    process.kill(pid, 'SIGKILL');
    await vi.waitFor(() => expect(isProcessRunning(pid)).toBe(false), 5000);
    const call = client.callTool('pid').catch((error: unknown) => error);
    await client.close();
    expect(await call).toMatchObject({ code: 'closed' });
    expect(childrenOf(process.pid, 'odd-server')).toEqual([]);
  });

  it.each([0, 5, 30])('is gone after its caller gave up its start after %i ms', async (ms) => {
    const controller = new AbortController();
    // It answers nothing, so that its start never comes to an end first.
    const silent = { command: process.execPath, args: ['-e', 'process.stdin.resume()', 'odd-server'] };
    const opening = failure(open(silent, { signal: controller.signal }));
    await new Promise((resolve) => {
      setTimeout(resolve, ms);
    });
    controller.abort();
    expect((await opening).code).toBe('aborted');
    await vi.waitFor(() => expect(childrenOf(process.pid, 'odd-server')).toEqual([]), 10_000);
  });
});

describe('a command that cannot be started', () => {
  it.each<[string, Command, RegExp]>([
    ['is in no folder of PATH', { command: 'no-such-binary-zz9' }, /"no-such-binary-zz9" was not found: .*PATH/],
    ['holds its arguments', { command: 'npx -y @scope/server' }, /give "npx" as the command/],
    [
      'has a folder that does not exist',
      { command: process.execPath, cwd: '/no/such/folder' },
      /"\/no\/such\/folder" does not exist/,
    ],
    ['has a null byte', { command: process.execPath, args: ['\0'] }, /null bytes/],
  ])('is told of in a sentence that helps: it %s', async (_how, command, sentence) => {
    const error = await failure(connect(command, { name: 'depot' }));
    expect(error).toMatchObject({ code: 'start-failed', server: 'depot' });
    expect(error.message).toMatch(sentence);
  });

  it.each<[object, RegExp]>([
    [{ args: [1] }, /args\[0\] of the command must be a text, but is of type number/],
    [{ args: 'serve' }, /args of the command must be an array of texts/],
    [{ env: { PORT: 8080 } }, /env\.PORT of the command must be a text, but is of type number/],
    [{ env: { KEY: null } }, /env\.KEY .* but is null/],
    [{ cwd: ['/'] }, /cwd .* but is an array/],
  ])('is refused where it holds what is no text: %j', async (wrong, sentence) => {
    const error = await failure(connect({ command: process.execPath, ...wrong }, { name: 'depot' }));
    expect(error).toMatchObject({ code: 'invalid-argument', server: 'depot' });
    expect(error.message).toMatch(sentence);
  });

  it('is told of without the credentials of its variables and arguments', async () => {
    const script = 'console.error(process.argv.slice(1).join(" "), process.env.API_KEY); process.exit(1)';
    const secrets = ['tok-4711-0815', 'pass-4711-0815', 'key-4711-0815'];
    const command = {
      command: process.execPath,
      args: ['-e', script, '--', `--token=${secrets[0]}`, '--password', secrets[1] ?? '', '--verbose'],
      env: { API_KEY: secrets[2] ?? '' },
    };
    const error = await failure(connect(command));
    expect(error.stderr).toContain('--verbose');
    expect(JSON.stringify([error.message, error.stderr, error.stack])).not.toContain('4711');
  });
});

function rethrowUnlessTimeout(error: unknown): void {
  if ((error as { code?: string }).code !== 'timeout') throw error;
}

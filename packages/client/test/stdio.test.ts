import { afterEach, describe, expect, it, vi } from 'vitest';
import type { CallToolResult } from '@switchyard/protocol';
import { type Client, type ClientWarning, type ConnectOptions } from '../src/index.ts';
import { isProcessRunning } from '../../guards/test/is-process-running.ts';
import { connect } from '../src/node/index.ts';
import { failure } from './expect-failure.ts';
import { fixture } from './fixture-command.ts';

const clients: Client[] = [];
const warnings: ClientWarning[] = [];

afterEach(async () => {
  warnings.length = 0;
  await Promise.all(clients.splice(0).map((client) => client.close()));
});

async function open(options: ConnectOptions = {}): Promise<Client> {
  const client = await connect(fixture('modern-server'), {
    name: 'depot',
    onWarning: (warning) => warnings.push(warning),
    ...options,
  });
  clients.push(client);
  return client;
}

function textOf(result: CallToolResult): string {
  const [block] = result.content;
  return block?.type === 'text' ? block.text : '';
}

describe('a modern server on stdio', () => {
  it('[DISC-10] [STDIO-18] [STDIO-19] is met with server/discover and nothing else', async () => {
    const client = await open();
    expect(client).toMatchObject({
      name: 'depot',
      era: 'modern',
      revision: '2026-07-28',
      instructions: 'Handle with care.',
    });
    expect(client.serverInfo).toEqual({ name: 'modern-server', version: '1.2.3' });
    const written = JSON.parse(textOf(await client.callTool('received'))) as string[];
    expect(written.map((line) => (JSON.parse(line) as { method: string }).method)).toEqual([
      'server/discover',
      'tools/call',
    ]);
  });

  it('[META-01] [META-02] [META-03] [STDIO-01] [STDIO-03] [stdio-02] gets full metadata in each request, one line each, without CR', async () => {
    const client = await open({ clientInfo: { name: 'probe', version: '0.1.0' } });
    await client.callTool(
      'echo',
      { text: 'two\r\nlines' },
      { meta: { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01', progressToken: 'mine' } },
    );
    const written = JSON.parse(textOf(await client.callTool('received'))) as string[];
    expect(written).toHaveLength(3);
    for (const line of written) {
      expect(line).not.toContain('\r');
      const { params } = JSON.parse(line) as { params: { _meta: object } };
      expect(params._meta).toMatchObject({
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientCapabilities': {},
        'io.modelcontextprotocol/clientInfo': { name: 'probe', version: '0.1.0' },
      });
    }
    const call = JSON.parse(written[1] ?? '') as { params: { _meta: object } };
    expect(call.params._meta).toMatchObject({ traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' });
    expect(call.params._meta).not.toHaveProperty('progressToken');
  });

  it.each(['split-in-three', 'byte-by-byte'])(
    '[MSG-01] [stdio-01] keeps characters whole when writes split them: %s',
    async (tool) => {
      const client = await open();
      expect(textOf(await client.callTool(tool))).toBe('naïve — 鯨 🛶');
      expect(warnings).toEqual([]);
    },
  );

  it('[stdio-02] may end its lines in CRLF and write blank ones', async () => {
    const client = await open();
    expect(textOf(await client.callTool('crlf'))).toBe('with CR');
    expect(warnings).toEqual([]);
  });

  it.each([65_535, 65_536, 65_537, 1_500_000])('[stdio-05] may answer with a text of %i characters', async (length) => {
    const client = await open();
    expect(textOf(await client.callTool('big', { length }))).toHaveLength(length);
  });

  it('[stdio-04] survives junk on stdout and reports each line once', async () => {
    const client = await open();
    expect(textOf(await client.callTool('junk'))).toBe('after the junk');
    expect(warnings.map(({ code }) => code)).toEqual(Array.from({ length: 6 }, () => 'junk-output'));
    expect(warnings[0]?.message).toContain('Depot helper v3.1 ready');
    expect(textOf(await client.callTool('echo', { text: 'still here' }))).toBe('still here');
  });

  it.each(['long-junk', 'not-utf8'])('[stdio-04] has its junk reported in a short form: %s', async (tool) => {
    const client = await open();
    expect(textOf(await client.callTool(tool))).toBe('after');
    expect(warnings).toHaveLength(1);
    expect(warnings[0]?.message.length).toBeLessThan(400);
  });

  it.each([false, true])('has an answer of 50 MB refused, and the next call works (id last: %s)', async (idLast) => {
    const client = await open();
    const [tooLarge, echo] = await Promise.all([
      failure(client.callTool('big', { length: 50_000_000, idLast })),
      client.callTool('echo', { text: 'meanwhile' }),
    ]);
    expect(tooLarge).toMatchObject({ code: 'too-large', server: 'depot' });
    expect(textOf(echo)).toBe('meanwhile');
    expect(textOf(await client.callTool('echo', { text: 'next' }))).toBe('next');
  });

  it('may write over the limit what is no answer, which fails no call', async () => {
    const client = await open({ maxMessageBytes: 100_000 });
    expect(textOf(await client.callTool('big-asides'))).toBe('right');
    expect(warnings.map(({ code }) => code)).toEqual(Array.from({ length: 4 }, () => 'message-too-large'));
  });

  it('[stdio-04] has its junk reported without the credentials in it', async () => {
    const client = await open();
    expect(textOf(await client.callTool('secret-junk'))).toBe('right');
    expect(warnings[0]?.message).toContain('config: {"api_key":"[redacted]');
  });

  it('may answer twice: the first answer counts, the second is reported', async () => {
    const client = await open();
    expect(textOf(await client.callTool('twice'))).toBe('first');
    await client.callTool('echo');
    expect(warnings.map(({ code }) => code)).toEqual(['unmatched-response']);
  });

  it('[STDIO-09] [jsonrpc-10] may answer ids that wait for nothing, a string in place of a number among them', async () => {
    const client = await open();
    expect(textOf(await client.callTool('other-id'))).toBe('right');
    expect(warnings.map(({ code }) => code)).toEqual(['unmatched-response', 'unmatched-response']);
    expect(warnings[1]?.message).toMatch(/answers id "\d+"/);
  });

  it('has a response with both result and error refused for that request alone', async () => {
    const client = await open();
    const error = await failure(client.callTool('both'));
    expect(error.code).toBe('invalid-response');
    expect(error.message).toContain('"depot"');
    expect(textOf(await client.callTool('echo', { text: 'on' }))).toBe('on');
  });

  it('[LEGB-06] [jsonrpc-11] has errors without an id reported, with null and absent alike', async () => {
    const client = await open();
    expect(textOf(await client.callTool('unreadable-id'))).toBe('right');
    expect(warnings.map(({ code, message }) => [code, /-32\d+/.exec(message)?.[0]])).toEqual([
      ['peer-error', '-32700'],
      ['peer-error', '-32600'],
    ]);
  });

  it('[MSG-30] [jsonrpc-09] gets no answer to notifications, known or not', async () => {
    const seen: string[] = [];
    const client = await open({ onNotification: ({ method }) => seen.push(method) });
    expect(textOf(await client.callTool('notifications'))).toBe('right');
    const written = JSON.parse(textOf(await client.callTool('received'))) as string[];
    expect(written.every((line) => 'method' in (JSON.parse(line) as object))).toBe(true);
    expect(seen).toEqual(['notifications/vendor.example/heartbeat']);
    expect(warnings).toEqual([]);
  });

  it('[MSG-33] [STDIO-07] gets no response to a request of its own, which is reported', async () => {
    const client = await open();
    expect(textOf(await client.callTool('asks'))).toBe('right');
    const written = JSON.parse(textOf(await client.callTool('received'))) as string[];
    expect(written.some((line) => 'result' in (JSON.parse(line) as object))).toBe(false);
    expect(warnings.map(({ code }) => code)).toEqual(['unexpected-request']);
  });

  it('has log messages handed to the calls that want them', async () => {
    const client = await open();
    const logged: unknown[] = [];
    await client.callTool('notifications', {}, { logLevel: 'info', onLog: (message) => logged.push(message) });
    await client.callTool('notifications', {}, { logLevel: 'error', onLog: (message) => logged.push(message) });
    expect(logged).toEqual([{ level: 'info', data: 'hi' }]);
  });

  it('[PROG-01] [progress-03] may report progress that repeats, falls, comes late or is malformed', async () => {
    const client = await open();
    const seen: unknown[] = [];
    await client.callTool('progress', {}, { onProgress: (progress) => seen.push(progress) });
    await client.callTool('echo');
    expect(seen).toEqual([{ progress: 1, total: 3, message: 'one' }, { progress: 1 }, { progress: 0 }]);
    expect(warnings).toEqual([]);
  });

  it('answers 100 calls at once, each its own', async () => {
    const client = await open();
    const texts = Array.from({ length: 100 }, (_unused, index) => `call ${index}`);
    const results = await Promise.all(texts.map((text) => client.callTool('echo', { text })));
    expect(results.map(textOf)).toEqual(texts);
  });

  it('gets no more once 16 MiB wait unread on its stdin, so that nothing piles up', async () => {
    const client = await open();
    const deaf = failure(client.callTool('stop-reading', {}, { timeoutMs: 200 }));
    expect((await deaf).code).toBe('timeout');
    const text = 'q'.repeat(17 * 1024 * 1024);
    expect((await failure(client.callTool('echo', { text }, { timeoutMs: 200 }))).code).toBe('timeout');
    const error = await failure(client.callTool('echo'));
    expect(error).toMatchObject({ code: 'closed', server: 'depot' });
    expect(error.message).toContain('does not read its stdin');
  });

  it('[AUTHRS-22] inherits the minimal environment and what it is given, no more', async () => {
    process.env['DEPOT_SECRET'] = 'not for children';
    const client = await connect({ ...fixture('modern-server'), env: { DEPOT_MODE: 'test' } });
    clients.push(client);
    delete process.env['DEPOT_SECRET'];
    const environment = JSON.parse(textOf(await client.callTool('environment'))) as object;
    expect(environment).toMatchObject({ DEPOT_MODE: 'test' });
    expect(environment).not.toHaveProperty('DEPOT_SECRET');
  });
});

describe('the end of a process', () => {
  it('[stdio-07] rejects what is pending with the signal that ended it, and the next call starts it again', async () => {
    const client = await open();
    const first = textOf(await client.callTool('pid'));
    const [waiting, killed] = await Promise.all([failure(client.callTool('hang')), failure(client.callTool('kill'))]);
    for (const error of [waiting, killed]) {
      expect(error).toMatchObject({ code: 'outcome-unknown', server: 'depot' });
      expect(error.message).toContain('SIGKILL');
    }
    const second = textOf(await client.callTool('pid'));
    expect(second).not.toBe(first);
    const written = JSON.parse(textOf(await client.callTool('received'))) as string[];
    expect(written.map((line) => (JSON.parse(line) as { method: string }).method)).toEqual([
      'server/discover',
      'tools/call',
      'tools/call',
    ]);
  });

  it('tells the exit code and the last lines of stderr, without secrets', async () => {
    const client = await open();
    const error = await failure(client.callTool('exit'));
    expect(error.message).toContain('exit code 3');
    expect(error.stderr).toContain('the disk is on fire');
    expect(error.message).not.toContain('hunter22222');
  });

  it('is a closed stdout, too', async () => {
    const client = await open();
    const error = await failure(client.callTool('close-stdout'));
    expect(error.code).toBe('outcome-unknown');
    expect(error.message).toContain('stdout');
    expect(textOf(await client.callTool('echo', { text: 'again' }))).toBe('again');
  });

  it('does not hide behind a grandchild that keeps stdout open', async () => {
    const client = await open();
    const grandchild = Number(textOf(await client.callTool('grandchild')));
    expect(isProcessRunning(grandchild)).toBe(true);
    expect((await failure(client.callTool('kill'))).message).toContain('SIGKILL');
    await client.close();
    expect(isProcessRunning(grandchild)).toBe(false);
  });

  it('takes the whole process group with it on close', async () => {
    const client = await open();
    const grandchild = Number(textOf(await client.callTool('grandchild')));
    const child = Number(textOf(await client.callTool('pid')));
    await client.close();
    expect([isProcessRunning(child), isProcessRunning(grandchild)]).toEqual([false, false]);
  });

  it('rejects pending and later calls with code closed once the client is closed', async () => {
    const client = await open();
    const pending = failure(client.callTool('hang'));
    await client.close();
    await client.close();
    expect((await pending).code).toBe('closed');
    expect((await failure(client.callTool('echo'))).code).toBe('closed');
  });
});

describe('a start that fails', () => {
  it('[stdio-08] names the exit code and stderr of a process that ends at once', async () => {
    const target = { command: process.execPath, args: ['-e', 'console.error("no licence found"); process.exit(7)'] };
    const error = await failure(connect(target, { name: 'gone' }));
    expect(error).toMatchObject({ code: 'start-failed', server: 'gone' });
    expect(error.message).toContain('exit code 7');
    expect(error.message).toContain('no licence found');
  });

  it('[stdio-08] names a command that does not exist, and the process lives on', async () => {
    const unhandled: unknown[] = [];
    const note = (reason: unknown): void => void unhandled.push(reason);
    process.on('unhandledRejection', note);
    const [gone, absent, fine] = await Promise.allSettled([
      connect({ command: process.execPath, args: ['-e', 'process.exit(7)'] }, { name: 'gone' }),
      connect({ command: 'no-such-binary-zz9' }, { name: 'absent' }),
      connect(fixture('modern-server'), { name: 'fine' }),
    ]);
    if (fine.status === 'fulfilled') clients.push(fine.value);
    process.off('unhandledRejection', note);
    expect([gone.status, absent.status, fine.status]).toEqual(['rejected', 'rejected', 'fulfilled']);
    expect(absent).toMatchObject({ reason: { code: 'start-failed', server: 'absent' } });
    expect(String((absent as PromiseRejectedResult).reason)).toContain('ENOENT');
    expect(unhandled).toEqual([]);
  });

  it('ends a process that never says anything when the start time is over, and tells its stderr', async () => {
    const target = { command: process.execPath, args: ['-e', 'process.stdin.resume(); console.error(process.pid)'] };
    const error = await failure(connect(target, { name: 'mute', startTimeoutMs: 3000, probeTimeoutMs: 100 }));
    expect(error).toMatchObject({ code: 'timeout', server: 'mute', stderr: expect.stringMatching(/^\d+$/) as string });
    expect(error.message).toContain('startTimeoutMs');
    await vi.waitFor(() => expect(isProcessRunning(Number(error.stderr))).toBe(false), 10_000);
  });

  it('ends a process that answers without reading, however much is left to write', async () => {
    const initialized = { protocolVersion: '2025-11-25', capabilities: {}, serverInfo: { name: 'x', version: '1' } };
    const answers = [
      { jsonrpc: '2.0', id: 1, error: { code: -32601, message: 'unknown' } },
      { jsonrpc: '2.0', id: 2, result: initialized },
    ];
    const script = `console.error(process.pid); setInterval(() => {}, 1000);
      setTimeout(() => console.log(${JSON.stringify(JSON.stringify(answers[0]))}), 100);
      setTimeout(() => console.log(${JSON.stringify(JSON.stringify(answers[1]))}), 300);`;
    const clientInfo = { name: 'x', version: '1', description: 'x'.repeat(1_000_000) };
    const target = { command: process.execPath, args: ['-e', script] };
    const error = await failure(connect(target, { name: 'deaf', startTimeoutMs: 3000, clientInfo }));
    expect(error).toMatchObject({ code: 'timeout', server: 'deaf' });
    await vi.waitFor(() => expect(isProcessRunning(Number(error.stderr))).toBe(false), 10_000);
  });
});

import { execFile, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openAudit } from '../src/audit/audit-log.ts';
import { verdictMetaKey } from '../src/call/verdict.ts';
import type { Host } from '../src/host.ts';
import { openHost, type OpenHostOptions } from '../src/open-host.ts';

const server = fileURLToPath(new URL('fixtures/server.js', import.meta.url));
const command = (era: string, behaviour: string) => ({ command: process.execPath, args: [server, era, behaviour] });

let folder: string;
let host: Host | undefined;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'switchyard-host-'));
});
afterEach(async () => {
  await host?.close();
  host = undefined;
  await rm(folder, { recursive: true });
});

async function writeConfiguration(
  servers: Record<string, { command: string; args: string[] } | object>,
  limits: object = {},
): Promise<string> {
  const path = join(folder, 'switchyard.json');
  const agents = { reader: { allow: ['*'], deny: ['*__write_*'] } };
  await writeFile(path, JSON.stringify({ mcpServers: servers, agents, limits }));
  return path;
}

async function open(
  servers: Record<string, object>,
  limits: object = {},
  options: OpenHostOptions = {},
): Promise<Host> {
  host = await openHost(await writeConfiguration(servers, limits), options);
  return host;
}

/** Whether a process exists and is no zombie. */
async function isAlive(pid: number): Promise<boolean> {
  try {
    return !/\) [ZX] /.test(await readFile(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

async function verdictOf(call: Promise<{ readonly _meta?: { readonly [key: string]: unknown } }>): Promise<unknown> {
  return (await call)._meta?.[verdictMetaKey];
}

describe('a host over child processes', () => {
  it('gives a child the environment that it was opened with, not that of its process', async () => {
    const { as } = await open({ a: command('modern', 'home') }, {}, { env: { HOME: '/given' } });
    expect(await as('reader').call('a__echo')).toMatchObject({ content: [{ text: '/given' }] });
  });

  it.each(['modern', 'legacy'])(
    'calls a %s server and leaves the evidence in the file of its configuration',
    async (era) => {
      const opened = await open({ fs: command(era, 'ok') });
      const agent = opened.as('reader');
      expect((await agent.tools()).tools.map(({ name }) => name)).toEqual(['fs__echo']);
      expect(opened.servers()).toMatchObject([{ name: 'fs', state: 'ready', era, tools: 2 }]);
      expect(await agent.call('fs__echo', { text: 'hi' })).toMatchObject({ content: [{ text: 'echo {"text":"hi"}' }] });
      await expect(agent.call('fs__write_file')).rejects.toMatchObject({
        code: -32602,
        message: 'Unknown tool: fs__write_file',
      });
      await opened.close();
      const audit = await openAudit(join(folder, '.switchyard', 'audit.db'));
      expect(await audit.verify()).toMatchObject({ ok: true, intents: 1, outcomes: 1, refused: 1, unfinished: 0 });
      await audit.close();
    },
  );

  it('[stdio-08] shows the tools of the good one while others are dead, mute or cannot be started, and says why', async () => {
    const opened = await open(
      {
        good: command('legacy', 'ok'),
        exits: command('modern', 'exit'),
        mute: command('modern', 'mute'),
        missing: { command: '/nonexistent/program' },
      },
      { startTimeoutMs: 2000 },
    );
    const { tools, unavailable } = await opened.as('reader').tools();
    expect(tools.map(({ name }) => name)).toEqual(['good__echo']);
    expect(unavailable.map(({ server: name }) => name)).toEqual(['exits', 'mute', 'missing'].toSorted());
    const exits = unavailable.find(({ server: name }) => name === 'exits');
    expect(exits?.message).toMatch(/"exits".*3/);
    expect(exits?.stderr?.join('\n')).toContain('cannot open /etc/fixture.conf');
    expect(exits?.message).not.toContain('fixture.conf');
    expect(JSON.stringify(opened.servers())).not.toContain('ghp_0123456789');
    for (const { server: name, message } of unavailable) expect(message).toContain(`"${name}"`);
  });

  it.each([
    ['crash', 'unavailable', /"bad"/],
    ['huge', 'result-rejected', /"bad"/],
    ['lying', 'result-rejected', /"bad".*do not agree/],
  ])(
    '[stdio-07] survives a server that is %s: the verdict is %s, and the other server and the next call work',
    async (behaviour, reason, message) => {
      const opened = await open({ bad: command('modern', behaviour), good: command('legacy', 'ok') });
      const agent = opened.as('reader');
      await agent.tools();
      expect(await verdictOf(agent.call('bad__echo'))).toMatchObject({
        reason,
        server: 'bad',
        message: expect.stringMatching(message),
      });
      expect(await agent.call('good__echo', { text: 'x' })).toMatchObject({ content: [{ text: 'echo {"text":"x"}' }] });
      expect((await agent.tools()).tools.map(({ name }) => name)).toEqual(['bad__echo', 'good__echo']);
      expect(await verdictOf(agent.call('bad__echo'))).toMatchObject({ reason });
      expect(await opened.audit.verify()).toMatchObject({ ok: true, intents: 3, outcomes: 3 });
    },
  );

  it('tells this process what a crashed server last wrote to stderr, and nobody else', async () => {
    const opened = await open({ bad: command('modern', 'crash') });
    const agent = opened.as('reader');
    await agent.tools();
    const outcome = await agent.invoke({ method: 'tools/call', params: { name: 'bad__echo' } });
    expect(outcome).toMatchObject({
      kind: 'failed',
      verdict: { details: { stderr: expect.arrayContaining(['segmentation fault (not really)']) } },
    });
    expect(JSON.stringify(await agent.call('bad__echo'))).not.toContain('segmentation');
  });

  it.each(['modern', 'legacy'])(
    'logs that a %s server was lost, how and with its last lines, and that it is back, each once',
    async (era) => {
      const lines: { readonly fields: { readonly server?: string; readonly err?: Error }; readonly message: string }[] =
        [];
      const logger = {
        info: () => undefined,
        warn: (fields: object, message: string) => lines.push({ fields, message }),
        error: () => undefined,
      };
      const opened = await open({ bad: command(era, 'crash') }, {}, { logger });
      const agent = opened.as('reader');
      await agent.tools();
      expect(lines).toEqual([]);
      await agent.call('bad__echo');
      await vi.waitFor(() => expect(lines).toHaveLength(1));
      await agent.tools();
      expect(lines.map(({ fields, message }) => [fields.server, message])).toEqual([
        ['bad', 'a server was lost'],
        ['bad', 'a server is available again'],
      ]);
      const how = lines[0]?.fields.err?.message;
      expect(how).toContain('exit code 139');
      expect(how).toContain('segmentation fault (not really)');
      expect(how).not.toContain('ghp_0123456789');
    },
  );

  it('logs nothing of a server that ends because the host is closed', async () => {
    const warn = vi.fn<(fields: object, message: string) => void>();
    const logger = { info: () => undefined, warn, error: warn };
    const opened = await open({ good: command('legacy', 'ok') }, {}, { logger });
    await opened.as('reader').tools();
    await opened.close();
    expect(warn).not.toHaveBeenCalled();
  });

  it('tells a model neither where a missing program was looked for nor why it cannot start, and this process both', async () => {
    const opened = await open(
      { lost: { command: 'no-such-program', args: ['-x'] } },
      {},
      { env: { PATH: '/opt/mine' } },
    );
    const agent = opened.as('reader');
    const operation = { method: 'tools/call', params: { name: 'lost__get' } } as const;
    const outcome = await agent.invoke(operation);
    expect(outcome).toMatchObject({
      verdict: { reason: 'unavailable', details: { cause: expect.stringContaining('/opt/mine') } },
    });
    const text = JSON.stringify(await agent.call('lost__get'));
    expect(text).toContain('\\"lost\\" is not available now');
    expect(text).not.toMatch(/opt|PATH|no-such-program/);
  });

  it.each(['junk', 'stray', 'twice'])(
    '[stdio-04] [jsonrpc-10] gets the right answer from a server that is %s',
    async (behaviour) => {
      const opened = await open({ noisy: command('legacy', behaviour) });
      for (const text of ['1', '2']) {
        expect(await opened.as('reader').call('noisy__echo', { text })).toMatchObject({
          content: [{ text: `echo {"text":"${text}"}` }],
        });
      }
    },
  );

  it('ends a call to a hanging server at its deadline', async () => {
    const opened = await open({ hanging: { ...command('modern', 'hang'), timeoutMs: 200 } });
    expect(await verdictOf(opened.as('reader').call('hanging__echo'))).toMatchObject({
      reason: 'timeout',
      server: 'hanging',
    });
  });

  it('leaves no process behind when it is closed, a call under way included', async () => {
    const opened = await open({
      hanging: command('modern', 'hang'),
      mute: command('modern', 'mute'),
      ok: command('legacy', 'ok'),
    });
    const agent = opened.as('reader');
    await agent.call('ok__echo');
    const call = agent.call('hanging__echo');
    await vi.waitFor(async () =>
      expect(await opened.audit.list({ kind: 'intent', server: 'hanging' })).toHaveLength(1),
    );
    const pids = await childrenOf(process.pid);
    expect(pids.length).toBeGreaterThanOrEqual(3);
    await opened.close();
    expect(await verdictOf(call)).toMatchObject({ reason: 'unavailable' });
    expect(await Promise.all(pids.map(isAlive))).toEqual(pids.map(() => false));
  });

  it('that is killed in the middle of a call leaves an unfinished call and a sound audit, and goes on from there', async () => {
    const configuration = await writeConfiguration({
      good: command('modern', 'ok'),
      hanging: command('modern', 'hang'),
    });
    const script = fileURLToPath(new URL('fixtures/call-and-hang.js', import.meta.url));
    const child = spawn(process.execPath, ['--conditions=@switchyard/source', script, configuration], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const exited = new Promise((resolve) => child.once('exit', (_code, signal) => resolve(signal)));
    const begun = new Promise((resolve) => child.stdout.once('data', resolve));
    try {
      await Promise.race([begun, exited]);
    } finally {
      child.kill('SIGKILL');
    }
    expect(await exited).toBe('SIGKILL');

    const path = join(folder, '.switchyard', 'audit.db');
    const before = await openAudit(path);
    const report = await before.verify();
    expect(report).toMatchObject({ ok: true, intents: 2, outcomes: 1, unfinished: 1, problems: [] });
    expect(await before.list({ callId: report.unfinishedCalls[0] ?? '' })).toMatchObject([
      { kind: 'intent', server: 'hanging', name: 'echo' },
    ]);
    await before.close();

    host = await openHost(configuration);
    await host.as('reader').call('good__echo', { text: 'again' });
    expect(await host.audit.verify()).toMatchObject({ ok: true, streams: 2, intents: 3, outcomes: 2, unfinished: 1 });
  });

  it.skipIf(process.platform === 'win32')(
    'runs no call whose intent finds no room on the disk, and leaves a sound audit',
    async () => {
      const script = fileURLToPath(new URL('fixtures/fill-the-disk.js', import.meta.url));
      const limited = `ulimit -f 400; exec "$0" --conditions=@switchyard/source "$@"`;
      const { stdout } = await promisify(execFile)('bash', ['-c', limited, process.execPath, script, folder]);
      const { runs, endings } = JSON.parse(stdout) as { readonly runs: number; readonly endings: readonly string[] };
      expect(runs).toBeGreaterThan(0);
      expect(endings.filter((ending) => ending === 'completed')).toHaveLength(runs);
      expect(endings.slice(-3)).toEqual(['audit-unavailable', 'audit-unavailable', 'audit-unavailable']);
      const audit = await openAudit(join(folder, '.switchyard', 'audit.db'));
      const report = await audit.verify();
      await audit.close();
      expect(report).toMatchObject({ ok: true, intents: runs });
      expect(report.outcomes + report.unfinished).toBe(runs);
    },
  );

  it('refuses a broken configuration before it starts or writes anything', async () => {
    const path = join(folder, 'switchyard.yaml');
    await writeFile(path, 'mcpServers:\n  a:\n    comand: node\nagents: {}\n');
    await expect(openHost(path)).rejects.toMatchObject({
      name: 'ConfigurationError',
      message: expect.stringMatching(/switchyard.yaml:3.*comand.*command/),
    });
    await expect(readFile(join(folder, '.switchyard', 'audit.db'))).rejects.toThrow(/ENOENT/);
  });

  it('warns of a credential that stands in a command line', async () => {
    const opened = await open({
      bad: {
        command: process.execPath,
        args: [server, 'modern', 'exit', '--token', 'ghp_0123456789abcdefghijklmnopqrstuvwxyz'],
      },
    });
    expect(opened.warnings).toMatchObject([{ message: expect.stringContaining('credential') }]);
    expect(JSON.stringify(opened.warnings)).not.toContain('ghp_0123456789');
  });
});

async function childrenOf(pid: number): Promise<number[]> {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8');
  return text.trim().split(' ').filter(Boolean).map(Number);
}

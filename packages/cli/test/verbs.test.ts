import { createServer } from '@switchyard/server';
import { serveHttp } from '@switchyard/server/node';
import { describe, expect, it } from 'vitest';
import { ordersConfiguration } from './orders-upstream.ts';
import { startRun } from './start-run.ts';
import { temporaryFolder } from './temporary-folder.ts';
import { untilTestEnds } from './until-test-ends.ts';
import { useOrders } from './use-orders.ts';

const { start, upstream } = useOrders();

describe('tools', () => {
  it('[TOOL-41] prints what the agent may call, and with --json their definitions under exposed names', async () => {
    const [human, machine] = await Promise.all([start(['tools']), start(['tools', '--json'])]);
    expect(human).toMatchObject({ exitCode: 0, stderr: '' });
    expect(human.stdout).toContain('orders (5 tools)\n');
    expect(human.stdout).toContain('  orders__get id=…\n      Gets an order\n');
    expect(machine).toMatchObject({ exitCode: 0, stderr: '' });
    const names = (machine.json() as readonly { readonly name: string }[]).map(({ name }) => name);
    expect(names).toEqual(['orders__get', 'orders__hang', 'orders__pay', 'orders__slow', 'orders__types']);
  });

  it('prints what one server has, without a configuration', async () => {
    const ended = await startRun(['tools', '--url', upstream().url, '--json']);
    expect(ended.exitCode).toBe(0);
    expect((ended.json() as readonly unknown[]).length).toBe(6);
  });

  it('lists what is there, and warns of a server that is not with its last lines on stderr', async () => {
    const broken = `  broken:\n    command: ${process.execPath}\n    args: ['-e', 'console.error("no licence"); process.exit(3)']\n`;
    const text = ordersConfiguration(upstream().url)
      .replace('mcpServers:\n', `mcpServers:\n${broken}`)
      .replace('orders__*,', "'*',");
    const both = await untilTestEnds(temporaryFolder({ 'switchyard.yaml': text }));
    const ended = await startRun(['tools', '--json'], { cwd: both.path });
    expect(ended.exitCode).toBe(0);
    expect((ended.json() as readonly unknown[]).length).toBe(5);
    expect(ended.stderr).toMatch(/warning: .*broken/);
    expect(ended.stderr).toContain('no licence');
  });

  it('warns of an access entry that matches nothing, with the nearest name', async () => {
    const text = ordersConfiguration(upstream().url).replace('orders__*,', 'orders__*, orders__gett,');
    const slip = await untilTestEnds(temporaryFolder({ 'switchyard.yaml': text }));
    const ended = await startRun(['tools', '--json'], { cwd: slip.path });
    expect(ended.exitCode).toBe(0);
    expect(ended.stderr).toMatch(/^warning: .*"orders__gett".* did you mean "orders__get"\?$/m);
  });

  it('warns of a deny that matches nothing also where the tool is called that the slip lets through', async () => {
    const text = ordersConfiguration(upstream().url).replace('deny: [orders__cancel]', 'deny: [orders__cancle]');
    const slip = await untilTestEnds(temporaryFolder({ 'switchyard.yaml': text }));
    const ended = await startRun(['call', 'orders__cancel', 'id=A-104'], { cwd: slip.path });
    expect(ended).toMatchObject({ exitCode: 0, stdout: 'cancelled\n' });
    expect(ended.stderr).toMatch(/^warning: .*deny\[0\].*"orders__cancle".* did you mean "orders__cancel"\?$/m);
  });

  it.each([['tools'], ['call', 'broken__pay']])(
    'shows what a server that ended wrote to stderr, with --json too: %s',
    async (...argv) => {
      const text = `mcpServers:\n  broken:\n    command: ${process.execPath}\n    args: ['-e', 'console.error("no licence"); process.exit(3)']\nagents: { reader: { allow: ['*'] } }\n`;
      const alone = await untilTestEnds(temporaryFolder({ 'switchyard.yaml': text }));
      const ended = await startRun([...argv, '--json'], { cwd: alone.path });
      expect(ended.exitCode).toBe(2);
      expect(ended.json()).toMatchObject({ error: { kind: 'unavailable', server: 'broken' } });
      expect(ended.stderr).toContain('no licence');
    },
  );

  it('fails where no server can be used at all', async () => {
    const text = `mcpServers: { gone: { url: 'http://127.0.0.1:9/' } }\nagents: { reader: { allow: ['*'] } }\n`;
    const lonely = await untilTestEnds(temporaryFolder({ 'lonely.yaml': text }));
    const ended = await startRun(['tools', '--json', '--config', 'lonely.yaml'], { cwd: lonely.path });
    expect(ended.exitCode).toBe(2);
    expect(ended.json()).toMatchObject({ error: { kind: 'unavailable', server: 'gone' } });
  });
});

describe('resources and prompts', () => {
  it('print what the agent may read and render, and with --json their definitions', async () => {
    const [resources, uris, prompts, names] = await Promise.all([
      start(['resources']),
      start(['resources', '--json']),
      start(['prompts']),
      start(['prompts', '--json']),
    ]);
    expect(resources).toMatchObject({ exitCode: 0, stderr: '' });
    expect(resources.stdout).toBe('orders (1 resource)\n  policy://refunds\n      refunds\n');
    expect(uris.json()).toMatchObject([{ uri: 'policy://refunds', name: 'refunds' }]);
    expect(prompts.stdout).toBe('orders (1 prompt)\n  orders__review file=…\n      Reviews\n');
    expect(names.json()).toMatchObject([{ name: 'orders__review' }]);
  });

  it('print what one server has, and nothing where it has none of a kind', async () => {
    const bare = await untilTestEnds(serveHttp(createServer({ name: 'bare', version: '1' }), { port: 0 }));
    for (const verb of ['resources', 'prompts']) {
      expect((await startRun([verb, '--url', upstream().url, '--json'])).json()).toHaveLength(1);
      expect(await startRun([verb, '--url', bare.url])).toMatchObject({ exitCode: 0, stdout: `No ${verb}.\n` });
    }
  });
});

describe('call', () => {
  it.each<[readonly string[], number, RegExp, RegExp]>([
    [['orders__get', 'id=A-104'], 0, /"status":"open"/, /^$/],
    [['orders__get', '--args', '{"id":"A-104"}'], 0, /"status":"open"/, /^$/],
    [['orders__get', 'id=B-205'], 1, /somebody else/, /reports an error/],
    [['orders__get', '--args', '{"id":7}'], 1, /id.*string/, /reports an error/],
    [['orders__gt', 'id=A-104'], 2, /^$/, /orders__gt.*Did you mean orders__get\?/],
    [['nothing__at_all'], 2, /^$/, /error: .*nothing__at_all.*See: switchyard tools/],
    [['orders__get', 'di=A-104'], 2, /^$/, /no argument "di".*Did you mean id\?/],
    [['orders__cancel', 'id=A-104'], 3, /^$/, /Agent "reader" may not use tool "orders__cancel"/],
    [['orders__cancel', 'whatever=A-104'], 3, /^$/, /may not use/],
    [['orders__pay'], 3, /^$/, /needs an approval/],
  ])('%j ends with %i', async (args, exitCode, stdout, stderr) => {
    const ended = await start(['call', ...args]);
    expect(ended.stdout).toMatch(stdout);
    expect(ended.stderr).toMatch(stderr);
    expect(ended.exitCode).toBe(exitCode);
  });

  it('[--json] prints the result, or one error document', async () => {
    const [done, tool, unknown, denied] = await Promise.all([
      start(['call', 'orders__get', 'id=A-104', '--json']),
      start(['call', 'orders__get', 'id=B-205', '--json']),
      start(['call', 'orders__nobody', '--json']),
      start(['call', 'orders__cancel', 'id=A-104', '--json']),
    ]);
    expect(done.json()).toMatchObject({ structuredContent: { id: 'A-104', status: 'open' } });
    expect(tool.json()).toMatchObject({ isError: true });
    expect(unknown.json()).toEqual({ error: { kind: 'unknown', message: expect.stringContaining('orders__nobody') } });
    expect(denied.json()).toMatchObject({ error: { kind: 'denied', server: 'orders' } });
    expect([done, tool, unknown, denied].map(({ exitCode }) => exitCode)).toEqual([0, 1, 2, 3]);
    expect([done, tool, unknown, denied].map(({ stderr }) => stderr).join('')).toBe('');
  });

  it('[--json] writes what a terminal could act on as escapes', async () => {
    const ended = await startRun(['call', '--url', upstream().url, 'types', 'more:="\u009b2J\u202e"', '--json']);
    expect(ended.stdout).not.toMatch(/[\x7f-\x9f\u202e]/);
    expect(JSON.stringify(ended.json())).toContain('\u009b2J\u202e');
  });

  it('types arguments by the schema and keeps all digits', async () => {
    const pairs = ['limit=3', 'big=1234567890123456789', 'tags=a', 'tags=b', 'more:={"x":null}'];
    const [bare, governed] = await Promise.all([
      startRun(['call', '--url', upstream().url, 'types', ...pairs.filter((pair) => !pair.startsWith('big'))]),
      start(['call', 'orders__types', ...pairs.filter((pair) => !pair.startsWith('big'))]),
    ]);
    for (const ended of [bare, governed]) {
      expect(JSON.parse(ended.stdout)).toEqual({ limit: 3, tags: ['a', 'b'], more: { x: null } });
    }
  });

  it('refuses an unknown tool of one server, naming the nearest', async () => {
    const ended = await startRun(['call', '--url', upstream().url, 'gte', 'id=1', '--json']);
    expect(ended.exitCode).toBe(2);
    expect(ended.json()).toMatchObject({
      error: { kind: 'unknown', code: -32602, message: expect.stringMatching(/"gte".*Did you mean get/) },
    });
  });

  it('shows progress on a terminal, clean and wiped out again, and nowhere else', async () => {
    const [terminal, pipe] = await Promise.all([
      start(['call', 'orders__slow'], { isTerminal: true, env: { NO_COLOR: '1' } }),
      start(['call', 'orders__slow']),
    ]);
    expect(terminal.stderr).toBe('\r\u001b[2Korders__slow: 25 % (1 of 4), a quarter\r\u001b[2K');
    expect(pipe.stderr).toBe('');
    for (const { stdout } of [terminal, pipe]) expect(stdout).toBe('done\n');
  });

  it('says why a server cannot be used, which no remote caller is told', async () => {
    const text = `mcpServers: { gone: { command: ./no-such-program } }\nagents: { reader: { allow: ['*'] } }\n`;
    const own = await untilTestEnds(temporaryFolder({ 'switchyard.yaml': text }));
    const ended = await startRun(['call', 'gone__tool', '--json'], { cwd: own.path });
    expect(ended.exitCode).toBe(2);
    expect(ended.json()).toMatchObject({
      error: { kind: 'unavailable', server: 'gone', message: expect.stringContaining('no-such-program') },
    });
  });

  it('[CAN-14] gives a call up when it is interrupted, and the server is told', async () => {
    const interrupt = new AbortController();
    const ended = start(['call', 'orders__hang', '--json'], { signal: interrupt.signal });
    await upstream().started;
    interrupt.abort();
    expect((await ended).exitCode).toBe(130);
    expect((await ended).json()).toMatchObject({ error: { kind: 'interrupted' } });
    await upstream().cancelled;
  });
});

describe('read and prompt', () => {
  it.each<[readonly string[], number, RegExp]>([
    [['read', 'policy://refunds'], 0, /^Refunds within 30 days\.\n$/],
    [['read', 'mcp://orders/policy%3A%2F%2Frefunds'], 0, /30 days/],
    [['read', 'policy://refund'], 2, /Did you mean policy:\/\/refunds\?/],
    [['prompt', 'orders__review', 'file=main.ts'], 0, /user:\nReview main\.ts/],
    [['prompt', 'orders__review'], 2, /file/],
    [['prompt', 'zzz'], 2, /There is no prompt "zzz"\. See: switchyard prompts/],
    [['read', 'zzz://a'], 2, /See: switchyard resources/],
    [['prompt', 'orders__reviw', 'file=main.ts'], 2, /Did you mean orders__review\?/],
  ])('%j ends with %i', async (argv, exitCode, output) => {
    const ended = await start(argv);
    expect(ended.stdout + ended.stderr).toMatch(output);
    expect(ended.exitCode).toBe(exitCode);
  });

  it('[--json] print the result', async () => {
    const [read, prompt] = await Promise.all([
      start(['read', 'policy://refunds', '--json']),
      startRun(['prompt', '--url', upstream().url, 'review', 'file=a', '--json']),
    ]);
    expect(read.json()).toMatchObject({ contents: [{ uri: 'policy://refunds', text: 'Refunds within 30 days.' }] });
    expect(prompt.json()).toMatchObject({ messages: [{ role: 'user', content: { type: 'text', text: 'Review a' } }] });
  });

  it.each<[readonly string[], string]>([
    [['read', 'policy://nobody'], 'policy://nobody'],
    [['prompt', 'nobody'], '"nobody"'],
  ])(
    'pass a protocol error of one server on, with its code, naming the server and what was asked: %j',
    async (argv, asked) => {
      const ended = await startRun([...argv, '--url', upstream().url, '--json']);
      expect(ended.exitCode).toBe(2);
      const { error } = ended.json() as { readonly error: { readonly message: string } };
      expect(error).toMatchObject({ kind: 'protocol', code: -32602, server: upstream().url });
      expect(error.message).toContain(asked);
      expect(error.message).toContain(upstream().url);
    },
  );
});

describe('audit', () => {
  it('lists and counts what ran and what was refused, without starting a server', async () => {
    const own = await untilTestEnds(temporaryFolder({ 'switchyard.yaml': ordersConfiguration(upstream().url) }));
    const at = { cwd: own.path };
    expect(await startRun(['audit', 'list', '--json'], at)).toMatchObject({ exitCode: 2 });
    await startRun(['call', 'orders__get', 'id=A-104'], at);
    await startRun(['call', 'orders__cancel', 'id=A-104'], at);
    const [all, some, human, verified, words] = await Promise.all([
      startRun(['audit', 'list', '--json'], at),
      startRun(
        ['audit', 'list', '--json', '--kind', 'refused', '--agent', 'reader', '--server', 'orders', '--limit', '1'],
        at,
      ),
      startRun(['audit', 'list', '--as', 'reader'], at),
      startRun(['audit', 'verify', '--as', 'reader', '--json'], at),
      startRun(['audit', 'verify'], at),
    ]);
    expect((all.json() as readonly { readonly kind: string }[]).map(({ kind }) => kind)).toEqual([
      'intent',
      'outcome',
      'refused',
    ]);
    expect(some.json()).toMatchObject([{ kind: 'refused', name: 'cancel', reason: 'denied' }]);
    expect(human.stdout).toMatch(
      /^TIME .*\n.* intent .*get.*\n.* outcome .*completed.*\n.* refused .*cancel.*denied\n$/,
    );
    expect(verified.json()).toMatchObject({ ok: true, intents: 1, outcomes: 1, refused: 1, unfinished: 0 });
    expect(words.stdout).toMatch(/intact: 3 records in 2 streams\.\n1 intent, 1 outcome, 1 refused, 0 unfinished\./);
  });
});

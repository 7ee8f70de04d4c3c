import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { execPath } from 'node:process';
import { fileURLToPath } from 'node:url';

import { describe, expect, it, onTestFinished } from 'vitest';

import {
  assertSnapshot,
  type RawExchange,
  readSnapshotPlan,
  renderSnapshot,
  runSnapshotPlan,
  type SnapshotPlan,
} from '../../src/index.ts';

const response = { jsonrpc: '2.0', id: 1, result: { resultType: 'complete' } };
const folder = fileURLToPath(new URL('../fixtures', import.meta.url));

const written = {
  format: 'switchyard-plan/1',
  name: 'fixture',
  command: 'node',
  args: ['--conditions=@switchyard/source', 'http-fixture.ts'],
  env: { SWITCHYARD_STATE_KEYS: '{key}' },
  instances: 2,
  deployment: { note: 'of a test' },
  steps: [
    { label: 'discover', method: 'server/discover' },
    { label: 'list', instance: 2, method: 'tools/list' },
    { label: 'list again', method: 'tools/list' },
    {
      label: 'text',
      method: 'tools/call',
      params: { name: 'test_simple_text', arguments: {} },
      keep: { type: 'resultType' },
    },
    { label: 'echo', method: 'resources/read', params: { uri: 'nothing://{type}' } },
    {
      label: 'rounds',
      method: 'tools/call',
      params: { name: 'test_input_required_result_multi_round', arguments: {} },
      answers: { step2: { action: 'accept', content: { color: 'green' } } },
    },
    {
      label: 'progress',
      method: 'tools/call',
      params: { name: 'test_tool_with_progress', arguments: {} },
      progress: true,
    },
  ],
};

function run(plan: SnapshotPlan) {
  return runSnapshotPlan(plan, { folder, node: execPath });
}

describe('a snapshot', () => {
  it('is the same bytes on each run: discovery, lists, results, rounds over the instances, progress, deployment', async () => {
    const plan = readSnapshotPlan(written);
    const first = renderSnapshot(plan, await run(plan));
    expect(renderSnapshot(plan, await run(plan))).toBe(first);
    const snapshot = JSON.parse(first) as {
      readonly discovery: object;
      readonly catalogs: object;
      readonly results: readonly { readonly label: string; readonly sent: { readonly params: object } }[];
      readonly rounds: readonly {
        readonly exchanges: readonly { readonly instance: number; readonly sent: { readonly id: number } }[];
      }[];
      readonly progress: readonly object[];
      readonly deployment: object;
    };
    expect(snapshot.discovery).toMatchObject({ supportedVersions: ['2026-07-28'] });
    expect(Object.keys(snapshot.catalogs)).toEqual(['tools/list']);
    expect(snapshot.results.map(({ label }) => label)).toEqual(['list again', 'text', 'echo', 'progress']);
    expect(snapshot.results[2]?.sent.params).toMatchObject({ uri: 'nothing://complete' });
    const [rounds] = snapshot.rounds;
    expect(rounds?.exchanges.map(({ instance }) => instance)).toEqual([1, 2, 1]);
    expect(new Set(rounds?.exchanges.map(({ sent }) => sent.id)).size).toBe(3);
    expect(first).toContain('"color": "green"');
    expect(snapshot.progress.length).toBeGreaterThan(1);
    expect(snapshot.deployment).toEqual({ note: 'of a test', transport: 'http', instances: 2 });
    expect(first).not.toMatch(/127\.0\.0\.1|\{key\}|:\d{4,5}\//);
  });

  it.each([
    ['{"results":[{"sent":{"id":1,"method":"initialize"}}]}', /handshake of an older revision: initialize/],
    ['{"a":"notifications/initialized"}', /handshake/],
    ['{"received":{"method":"roots/list","id":3}}', /\.received is a request from the server: roots\/list/],
    ['{"headers":{"Mcp-Session-Id":"x"}}', /Mcp-Session-Id is a session id/],
    ['{"result":{"sessionId":"x"}}', /sessionId is a session id/],
    ['[]', /no JSON object/],
    ['{', /not JSON/],
    [`{"a":${'['.repeat(50_000)}${']'.repeat(50_000)}}`, /nested deeper than 300 levels/],
  ])('that holds what none may is refused: %.60s', (text, why) => {
    expect(() => assertSnapshot(text)).toThrow(why);
  });

  it.each<[string, Partial<RawExchange>, RegExp]>([
    [
      'a request of the server on the way to the response',
      { received: [{ jsonrpc: '2.0', id: 'own', method: 'roots/list' }, response] },
      /the answer to discover is a request from the server: roots\/list/,
    ],
    ['a session id in a header', { headers: { 'mcp-session-id': 'x' } }, /discover has a session id: .*MCP-Session-Id/],
    [
      'a session id in a notification',
      { received: [{ jsonrpc: '2.0', method: 'notifications/message', params: { sessionId: 'x' } }, response] },
      /the answer to discover\.params\.sessionId is a session id/,
    ],
  ])('is not made of answers with %s, though it would not show it', (_what, seen, why) => {
    const plan = readSnapshotPlan({ ...written, steps: written.steps.slice(0, 1) });
    const exchange: RawExchange = {
      label: 'discover',
      instance: 1,
      sent: { jsonrpc: '2.0', id: 1, method: 'server/discover' },
      received: [response],
      response,
      stray: [],
    };
    const render = (of: RawExchange) =>
      renderSnapshot(
        plan,
        plan.steps.map((step) => ({ step, exchanges: [of] })),
      );
    expect(() => render(exchange)).not.toThrow();
    expect(() => render({ ...exchange, ...seen })).toThrow(why);
  });

  it('holds no address of what a server says of itself', () => {
    const plan = readSnapshotPlan({ ...written, steps: written.steps.slice(0, 1) });
    const serverInfo = { name: 'shop', title: 'By mira@example.com' };
    const result = { resultType: 'complete', _meta: { 'io.modelcontextprotocol/serverInfo': serverInfo } };
    const [step] = plan.steps;
    const answer = { ...response, result };
    const exchange: RawExchange = {
      label: 'discover',
      instance: 1,
      sent: { jsonrpc: '2.0', id: 1, method: 'server/discover' },
      received: [answer],
      response: answer,
      stray: [],
    };
    const text = renderSnapshot(plan, step === undefined ? [] : [{ step, exchanges: [exchange] }]);
    expect(JSON.parse(text)).toMatchObject({ server: { name: 'shop', title: 'By [email]' } });
    expect(text).not.toContain('mira@');
  });

  it('takes a request that was sent, a request for input, and a text about the handshake', () => {
    expect(() =>
      assertSnapshot(
        '{"sent":{"id":1,"method":"tools/call"},"inputRequests":{"a":{"method":"roots/list"}},"text":"There is no initialize."}',
      ),
    ).not.toThrow();
  });
});

describe('a plan', () => {
  const step = { label: 'a', method: 'server/discover' };
  it.each<[unknown, RegExp]>([
    [[], /format: switchyard-plan\/1/],
    [{ ...written, steps: [] }, /steps must be a list of 1 to 200/],
    [{ ...written, stepz: 1 }, /"stepz"; it may have name/],
    [{ ...written, transport: 'sse' }, /transport must be http or stdio/],
    [{ ...written, instances: 0 }, /instances must be a number from 1 to 16/],
    [{ ...written, name: undefined }, /name must be a text/],
    [{ ...written, env: { A: 1 } }, /env\.A must be a text/],
    [{ ...written, args: 'x' }, /args must be a list/],
    [{ ...written, steps: [step, step] }, /"a" stands for two steps/],
    [{ ...written, steps: [{ ...step, instance: 3 }] }, /a goes to instance 3; the plan has 2/],
    [{ ...written, steps: [{ ...step, caller: 'eve' }] }, /eve, who is none of the callers/],
    [{ ...written, steps: [{ ...step, paramz: {} }] }, /steps\[0\] has "paramz"/],
    [{ ...written, steps: [{ ...step, answers: { a: 1 } }] }, /answers\.a must be an object/],
  ])('that cannot be meant is refused, with the member: %#', (value, why) => {
    expect(() => readSnapshotPlan(value)).toThrow(why);
  });

  it('fails where a step uses or keeps what there is not', async () => {
    const plan = readSnapshotPlan({ ...written, steps: [{ ...step, params: { of: '{nobody}' } }] });
    await expect(run(plan)).rejects.toThrow(/uses \{nobody\}, which no step before it keeps/);
    const keeping = readSnapshotPlan({ ...written, steps: [{ ...step, keep: { a: 'no.such' } }] });
    await expect(run(keeping)).rejects.toThrow(/keeps no\.such, which is no text of its result/);
  });

  it('fails with what the program wrote where that does not serve', async () => {
    const plan = readSnapshotPlan({ ...written, args: ['-e', 'console.error("no licence"); process.exit(3)'] });
    await expect(run(plan)).rejects.toMatchObject({
      code: 'unreachable',
      message: expect.stringContaining('no licence') as string,
    });
    await expect(run(readSnapshotPlan({ ...written, command: '/no/such' }))).rejects.toMatchObject({
      code: 'unreachable',
    });
  });

  it('is given up while an instance starts, which ends', async () => {
    const controller = new AbortController();
    let pid = 0;
    const server = createServer(({ url = '' }, response) => {
      pid = Number(url.slice(1));
      controller.abort();
      response.end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    // It says that it runs, and never where it listens.
    const program = `require('http').get({ port: ${port}, path: '/' + process.pid }); setInterval(() => undefined, 1000)`;
    const plan = readSnapshotPlan({ ...written, args: ['-e', program] });
    const running = runSnapshotPlan(plan, { folder, node: execPath, signal: controller.signal });
    await expect(running).rejects.toMatchObject({
      code: 'closed',
      message: expect.stringContaining('was given up') as string,
    });
    expect(pid).toBeGreaterThan(0);
    expect(() => process.kill(pid, 0)).toThrow(/ESRCH/);
  });

  it('runs over stdio as well', async () => {
    const plan = readSnapshotPlan({
      ...written,
      transport: 'stdio',
      args: ['--conditions=@switchyard/source', 'stdio-fixture.ts'],
      steps: written.steps.filter(({ label }) => label === 'rounds'),
    });
    const [ran] = await run(plan);
    expect(ran?.exchanges.map(({ instance }) => instance)).toEqual([1, 2, 1]);
  });
});

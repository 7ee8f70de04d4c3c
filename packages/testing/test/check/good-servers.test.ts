import { randomBytes } from 'node:crypto';
import { execPath } from 'node:process';
import { fileURLToPath } from 'node:url';

import { createServer, silentLogger } from '@switchyard/server';
import { serveHttp } from '@switchyard/server/node';
import { describe, expect, it, onTestFinished } from 'vitest';

import { createFixtureServer } from '../../src/fixture/create-fixture-server.ts';
import { errorOf, RawConnectionError, resultOf, runChecks } from '../../src/index.ts';
import { openRawClient } from './open-raw-client.ts';
import { serveWrong } from './serve-wrong.ts';

const tool = { name: 'test_input_required_result_multi_round', arguments: {} };

async function serveFixture(key: string): Promise<string> {
  const running = await serveHttp(createFixtureServer({ state: { keys: [key] }, logger: silentLogger }), { port: 0 });
  onTestFinished(() => running.close({ graceMs: 0 }));
  return running.url;
}

describe('the fixture server', () => {
  it('passes all checks over HTTP, on two instances', async () => {
    const key = randomBytes(32).toString('base64url');
    const urls = [await serveFixture(key), await serveFixture(key)];
    const report = await runChecks(openRawClient(urls), { tool, callTools: true });
    expect(
      report.checks.map(
        ({ number, verdict, evidence }) => `${number} ${verdict} ${verdict === 'passed' ? '' : evidence}`,
      ),
    ).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10].map((number) => `${number} passed `));
    expect(report.server).toMatchObject({ name: 'switchyard-fixture' });
    expect(report.checks.flatMap(({ probes }) => probes.filter(({ verdict }) => verdict === 'skipped'))).toEqual([]);
  });

  it('passes all that apply over stdio, and says what does not', async () => {
    const program = fileURLToPath(new URL('../fixtures/stdio-fixture.ts', import.meta.url));
    const client = openRawClient({
      command: execPath,
      args: ['--conditions=@switchyard/source', program],
      env: { SWITCHYARD_STATE_KEYS: randomBytes(32).toString('base64url') },
    });
    const report = await runChecks(client, { tool });
    expect(report.checks.map(({ verdict }) => verdict)).toEqual(Array.from({ length: 10 }, () => 'passed'));
    const left = report.checks.flatMap(({ probes }) => probes.filter(({ verdict }) => verdict === 'skipped'));
    expect(left.map(({ what }) => what)).toEqual(['headers', 'GET, DELETE, resumption']);
  });

  it('is checked as far as it is asked to', async () => {
    const url = await serveFixture(randomBytes(32).toString('base64url'));
    const report = await runChecks(openRawClient([url]), { only: [5, 1] });
    expect(report.checks.map(({ number }) => number)).toEqual([1, 5]);
  });
});

describe('a server that does nothing wrong passes', () => {
  it('though an entry comes while its list is read, before the other instance is', async () => {
    let readings = 0;
    const tools = (names: readonly string[]) => names.map((name) => ({ name, inputSchema: { type: 'object' } }));
    const server = await serveWrong({
      answers(reply, { method }) {
        if (method !== 'tools/list') return reply;
        readings += 1;
        return { ...reply, result: { ...reply.result, tools: tools(readings < 3 ? ['a', 'b'] : ['a', 'new', 'b']) } };
      },
    });
    onTestFinished(() => server[Symbol.asyncDispose]());
    const { checks } = await runChecks(openRawClient(server.urls), { only: [4] });
    expect(readings).toBe(6);
    expect(checks[0]).toMatchObject({ verdict: 'passed' });
    expect(checks[0]?.probes[0]?.evidence).toMatch(/came and went/);
  });

  it('though it takes each state once', async () => {
    const used = new Set<unknown>();
    let isUsed = false;
    const server = await serveWrong({
      takes(params) {
        const { requestState, inputResponses } = params;
        isUsed = inputResponses !== undefined && used.has(requestState);
        if (inputResponses !== undefined) used.add(requestState);
        return params;
      },
      answers: (reply) => (isUsed ? { error: { code: -32602, message: 'it was used already' } } : reply),
    });
    onTestFinished(() => server[Symbol.asyncDispose]());
    const { checks } = await runChecks(openRawClient(server.urls));
    expect(checks.filter(({ verdict }) => verdict !== 'passed')).toEqual([]);
  });

  it.each(['', 'data:image/png;base64,'])(
    'though an image of it is as large as an answer may be: %s…',
    async (start) => {
      const server = await serveWrong({ resultText: `${start}${'iVBORw0K'.repeat(800_000)}` });
      onTestFinished(() => server[Symbol.asyncDispose]());
      const { checks } = await runChecks(openRawClient(server.urls.slice(0, 1)), { only: [10] });
      expect(checks[0]).toMatchObject({ verdict: 'passed' });
    },
  );

  it.each([404, 501])('with advice, where it refuses GET with %i', async (onGet) => {
    const server = await serveWrong({ onGet });
    onTestFinished(() => server[Symbol.asyncDispose]());
    const { checks } = await runChecks(openRawClient(server.urls), { only: [9] });
    expect(checks[0]?.verdict).toBe('passed');
    expect(checks[0]?.probes.filter(({ verdict }) => verdict === 'advised').map(({ what }) => what)).toEqual([
      'GET',
      'DELETE',
    ]);
  });

  it('though it writes its state in parts whose last characters have bits that mean nothing', async () => {
    const server = await serveWrong({
      takes: ({ requestState, ...params }) =>
        typeof requestState === 'string'
          ? { ...params, requestState: Buffer.concat(requestState.split('.').map(bytesOf)).toString() }
          : params,
      answers(reply) {
        const state = reply.result?.['requestState'];
        if (typeof state !== 'string') return reply;
        const parts = Array.from(Buffer.from(state), (byte) => Buffer.of(byte).toString('base64url'));
        return { ...reply, result: { ...reply.result, requestState: parts.join('.') } };
      },
    });
    onTestFinished(() => server[Symbol.asyncDispose]());
    const { checks } = await runChecks(openRawClient(server.urls), { only: [8] });
    expect(checks[0]).toMatchObject({ verdict: 'passed' });
  });
});

function bytesOf(part: string): Buffer {
  return Buffer.from(part, 'base64url');
}

describe('a check that cannot be applied', () => {
  it('is skipped with the reason, and never passed', async () => {
    const server = createServer({ name: 'bare', version: '1.0.0' }, { logger: silentLogger });
    server.tool(
      'add',
      { description: 'Adds', input: { type: 'object', properties: {}, required: ['a'] } },
      () => 'sum',
    );
    const running = await serveHttp(server, { port: 0 });
    onTestFinished(() => running.close({ graceMs: 0 }));
    const { checks: reports } = await runChecks(openRawClient([running.url]));
    const skipped = reports.filter(({ verdict }) => verdict === 'skipped');
    expect(skipped.map(({ number }) => number)).toEqual([6, 7, 8]);
    expect(skipped.map(({ evidence }) => evidence)).toEqual([
      expect.stringMatching(/nothing that may be called asks for input/),
      expect.stringMatching(/no second instance was given/),
      expect.stringMatching(/nothing that may be called asks for input/),
    ]);
    expect(reports[4]?.evidence).toMatch(/not applied: capability that is not declared/);
  });

  it('fails 1 and skips the others on a server of an older revision', async () => {
    const program = fileURLToPath(import.meta.resolve('@modelcontextprotocol/server-filesystem/dist/index.js'));
    const report = await runChecks(openRawClient({ command: execPath, args: [program, import.meta.dirname] }));
    expect(report.checks.map(({ verdict }) => verdict)).toEqual([
      'failed',
      ...Array.from({ length: 9 }, () => 'skipped'),
    ]);
    expect(report.checks[0]?.evidence).toMatch(/server\/discover got error/);
    expect(report.checks[9]?.evidence).toMatch(/see check 1/);
  });

  it('fails once on a server of an older revision, whatever was chosen', async () => {
    const program = fileURLToPath(import.meta.resolve('@modelcontextprotocol/server-filesystem/dist/index.js'));
    const client = openRawClient({ command: execPath, args: [program, import.meta.dirname] });
    const { checks } = await runChecks(client, { only: [2, 5] });
    expect(checks.map(({ number, verdict }) => [number, verdict])).toEqual([
      [2, 'failed'],
      [5, 'skipped'],
    ]);
    expect(checks[1]?.evidence).toMatch(/see check 2/);
  });
});

describe('what may be called', () => {
  async function callsOn(options: Parameters<typeof runChecks>[1]): Promise<readonly string[]> {
    const called: string[] = [];
    const server = createServer({ name: 'effects', version: '1.0.0' }, { logger: silentLogger });
    const needs = { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] };
    const define = (name: string, definition: object): void =>
      void server.tool(name, { description: 'Does it', ...definition }, () => {
        called.push(name);
        return 'done';
      });
    define('look', { annotations: { readOnlyHint: true } });
    define('look_up', { annotations: { readOnlyHint: true }, input: needs });
    define('erase', {});
    define('erase_one', { input: needs });
    const running = await serveHttp(server, { port: 0 });
    onTestFinished(() => running.close({ graceMs: 0 }));
    await runChecks(openRawClient([running.url]), options);
    return [...new Set(called)].toSorted();
  }

  it.each<[string, Parameters<typeof runChecks>[1], readonly string[]]>([
    ['only tools without arguments that say they are read-only', {}, ['look']],
    [
      'one that is named, with its arguments',
      { tool: { name: 'erase_one', arguments: { id: 'a' } } },
      ['erase_one', 'look'],
    ],
    ['all without required arguments when that is asked for', { callTools: true }, ['erase', 'look']],
  ])('is %s', async (_what, options, names) => {
    expect(await callsOn(options)).toEqual(names);
  });
});

describe('a server that is not there', () => {
  it('is unreachable over HTTP, and where its program cannot be started', async () => {
    await expect(runChecks(openRawClient(['http://127.0.0.1:9/mcp']))).rejects.toMatchObject({
      name: 'RawConnectionError',
      code: 'unreachable',
    });
    await expect(runChecks(openRawClient({ command: '/no/such/program' }))).rejects.toMatchObject({
      code: 'unreachable',
    });
    await expect(runChecks(openRawClient({ command: execPath, args: ['-e', ''] }))).rejects.toBeInstanceOf(
      RawConnectionError,
    );
  });

  it('shows what came and what did not', async () => {
    const url = await serveFixture(randomBytes(32).toString('base64url'));
    const exchange = await openRawClient([url]).request('unknown', 'nothing/at-all');
    expect([errorOf(exchange)?.['code'], resultOf(exchange), exchange.status]).toEqual([-32601, undefined, 404]);
  });
});

import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { execPath } from 'node:process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

import {
  createRawClient,
  finishRounds,
  openRawConnection,
  type RawClient,
  type RawExchange,
  resultOf,
  runChecks,
  startServerInstances,
} from '@switchyard/testing';
import { describe, expect, it, onTestFinished } from 'vitest';

const ours = fileURLToPath(new URL('../src/main.ts', import.meta.url));
const official = fileURLToPath(new URL('../../study-server-sdk/src/main.ts', import.meta.url));
const cwd = fileURLToPath(new URL('..', import.meta.url));
const callers = { mira: { 'x-api-key': 'key-of-mira' }, noor: { 'x-api-key': 'key-of-noor' } };

/** Two instances over HTTP with one store, one key and two callers, and a conversation with them. */
async function open(env: { readonly [name: string]: string } = {}, program = ours): Promise<RawClient> {
  const folder = await mkdtemp(join(tmpdir(), 'study-server-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const shared = {
    STUDY_DATABASE: join(folder, 'study.db'),
    STUDY_KEYS: 'mira=key-of-mira,noor=key-of-noor',
    SWITCHYARD_STATE_KEYS: randomBytes(32).toString('base64url'),
    ...env,
  };
  const args = ['--conditions=@switchyard/source', program, '--http', '0'];
  const instances = await startServerInstances({ command: execPath, args, env: shared, cwd }, 2);
  onTestFinished(() => instances[Symbol.asyncDispose]());
  const client = createRawClient({
    transport: 'http',
    instances: 2,
    open: (instance) => openRawConnection({ url: instances.urls[instance - 1] ?? '', headers: callers.mira }),
  });
  onTestFinished(() => client.close());
  return client;
}

function call(
  client: RawClient,
  name: string,
  args: object,
  { instance = 1, caller = 'mira' }: { readonly instance?: number; readonly caller?: keyof typeof callers } = {},
): Promise<RawExchange> {
  return client.request(name, 'tools/call', { name, arguments: args }, { instance, headers: callers[caller] });
}

async function startReview(client: RawClient): Promise<string> {
  const result = resultOf(await call(client, 'start_review', { topic: 'statistics' })) ?? {};
  const { handle } = result['structuredContent'] as { readonly handle: string };
  return handle;
}

const noSuchReview = {
  isError: true,
  content: [{ type: 'text', text: expect.stringMatching(/no such review/) as string }],
};

describe.each([
  ['the study server', ours],
  ['the one on the official SDK', official],
])('%s', (_name, program) => {
  it('answers for a handle on the other instance, from the store', async () => {
    const client = await open({}, program);
    const handle = await startReview(client);
    const status = await call(client, 'review_status', { handle }, { instance: 2 });
    expect(resultOf(status)).toMatchObject({ structuredContent: { topic: 'statistics', cards: 30, done: 0 } });
  });

  it('answers a foreign, an expired and an unknown handle with the same tool error', async () => {
    const client = await open({}, program);
    const handle = await startReview(client);
    const foreign = await call(client, 'review_status', { handle }, { caller: 'noor', instance: 2 });
    const unknown = await call(client, 'review_status', { handle: 'not-a-handle' });
    const expiring = await open({ STUDY_HANDLE_MS: '0' }, program);
    const expired = await call(expiring, 'review_status', { handle: await startReview(expiring) });
    for (const exchange of [foreign, unknown, expired]) {
      expect(exchange.status).toBe(200);
      expect(resultOf(exchange)).toMatchObject(noSuchReview);
      expect(resultOf(exchange)?.['content']).toEqual(resultOf(foreign)?.['content']);
    }
  });

  it('asks for roots, sampling and elicitation together, then in sequence, over two instances', async () => {
    const client = await open({}, program);
    const subject = { method: 'tools/call', params: { name: 'plan_study', arguments: {} } } as const;
    const capabilities = { elicitation: { form: {} }, roots: {}, sampling: {} };
    const first = await client.request('plan', subject.method, subject.params, { capabilities });
    const rounds = await finishRounds(client, 'plan', subject, first, {
      instanceOf: (round) => 1 + (round % 2),
      request: { capabilities },
    });
    const asked = [first, ...rounds].map((exchange) =>
      Object.keys(resultOf(exchange)?.['inputRequests'] ?? {}).toSorted(),
    );
    expect(asked).toEqual([['folders', 'goal', 'level'], ['draft'], ['accept'], []]);
    expect([first, ...rounds].map(({ instance }) => instance)).toEqual([1, 2, 1, 2]);
    expect(resultOf(rounds.at(-1) ?? first)).toMatchObject({
      resultType: 'complete',
      structuredContent: { hours: 2, folders: ['workspace'], accepted: true },
    });
  });

  it('passes the boundary checks', async () => {
    const { checks } = await runChecks(await open({}, program));
    expect(
      checks.map(({ number, verdict, evidence }) => [number, verdict, verdict === 'passed' ? '' : evidence]),
    ).toEqual(Array.from({ length: 10 }, (_, index) => [index + 1, 'passed', '']));
  });
});

describe('the study server', () => {
  it('lists its two resources in the same order in 100 fresh processes', async () => {
    const request = {
      jsonrpc: '2.0',
      id: 1,
      method: 'resources/list',
      params: {
        _meta: {
          'io.modelcontextprotocol/protocolVersion': '2026-07-28',
          'io.modelcontextprotocol/clientCapabilities': {},
        },
      },
    };
    async function listOnce(): Promise<string> {
      const child = spawn(execPath, ['--conditions=@switchyard/source', ours], { stdio: ['pipe', 'pipe', 'ignore'] });
      const ended = once(child, 'close');
      child.stdin.end(`${JSON.stringify(request)}\n`);
      const line = await text(child.stdout);
      await ended;
      const { resources } = (
        JSON.parse(line) as { readonly result: { readonly resources: readonly { readonly uri: string }[] } }
      ).result;
      return resources.map(({ uri }) => uri).join(' ');
    }
    const orders: string[] = [];
    let left = 100;
    const worker = async (): Promise<void> => {
      while ((left -= 1) >= 0) orders.push(await listOnce());
    };
    await Promise.all(Array.from({ length: Math.min(8, availableParallelism() * 2) }, worker));
    expect(orders).toHaveLength(100);
    expect(new Set(orders)).toEqual(new Set(['study://method study://topics']));
  }, 180_000);
});

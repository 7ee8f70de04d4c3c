import { fileURLToPath } from 'node:url';

import type { CreateMessageParams, Principal } from '@switchyard/protocol';
import { createServer, type Server, type ServerOptions, silentLogger } from '@switchyard/server';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { messageOf, openNodeRoute, postOf } from '../http-route.ts';
import { accept, type Answer, declaring, everyCapability, send } from '../input/input-route.ts';
import { callOf } from '../wire.ts';

const form = { message: 'Who?', schema: z.object({ name: z.string() }) };
const stateKey = Buffer.alloc(32, 1).toString('base64url');

function create(options: ServerOptions = {}): Server {
  return createServer({ name: 'input', version: '1.0.0' }, { logger: silentLogger, ...options });
}

/** Answers each ask with `answer` until the server asks no more. */
async function follow(server: Server, tool: string, answer: object): Promise<readonly Answer[]> {
  const rounds = [await send(server, tool)];
  for (let last = rounds[0]; last?.state !== undefined && rounds.length < 100; last = rounds.at(-1)) {
    const answers = Object.fromEntries(last.asks.map((key) => [key, answer]));
    rounds.push(await send(server, tool, {}, { state: last.state, answers }));
  }
  return rounds;
}

describe('a request that asks', () => {
  it('[MRTR-16] leaves nothing behind when its retry never comes', async () => {
    const ended: string[] = [];
    const server = create().tool('ask', {}, async (_args, ctx) => {
      ctx.onRoundEnd(() => void ended.push('round'));
      ctx.signal.addEventListener('abort', () => void ended.push('signal'));
      await ctx.elicit('who', form);
      return '';
    });
    server.tool('plain', {}, () => 'served');
    const route = await openNodeRoute(server, { maxRunningRequests: 1 });
    const asking = postOf(callOf('ask', {}, { meta: declaring(everyCapability) }));
    for (let count = 0; count < 20; count += 1)
      expect(messageOf(await route.call(asking)).result).toMatchObject({ resultType: 'input_required' });
    expect(ended.filter((what) => what === 'round')).toHaveLength(20);
    expect(ended.filter((what) => what === 'signal')).toHaveLength(20);
    expect(messageOf(await route.call(postOf(callOf('plain')))).result).toMatchObject({
      content: [{ text: 'served' }],
    });
  });

  it('[MRTR-16] [MRTR-22] [MSG-38] [MSG-40] is gone on with by a server that never saw its first round', async () => {
    const instance = (): Server =>
      create({ state: { keys: [stateKey] } }).tool('ask', {}, async (_args, ctx) =>
        JSON.stringify(await ctx.elicit('who', form)),
      );
    const { state } = await send(instance(), 'ask');
    const { text } = await send(instance(), 'ask', {}, { state, answers: { who: accept({ name: 'Ada' }) } });
    expect(text).toContain('Ada');
  });

  it('[CACHE-04] is answered without hints for caches, also where what it reads has some', async () => {
    const cache = { ttlMs: 60_000, cacheScope: 'public' } as const;
    const server = create()
      .resource('test://r', { name: 'r', cache }, async (_uri, ctx) => (await ctx.elicit('who', form)).action)
      .prompt('p', {}, async (_args, ctx) => (await ctx.elicit('who', form)).action)
      .tool('t', {}, async (_args, ctx) => (await ctx.elicit('who', form)).action);
    for (const [method, target] of [
      ['resources/read', 'test://r'],
      ['prompts/get', 'p'],
      ['tools/call', 't'],
    ] as const) {
      const { result, state } = await send(server, target, {}, { method });
      expect(result).toMatchObject({ resultType: 'input_required' });
      expect(result).not.toHaveProperty('ttlMs');
      expect(result).not.toHaveProperty('cacheScope');
      const done = await send(server, target, {}, { method, state, answers: { who: { action: 'cancel' } } });
      expect(done.result).toMatchObject({
        resultType: 'complete',
        ...(method === 'resources/read' ? cache : {}),
      });
    }
  });
});

describe('the state of a request', () => {
  const ada: Principal = { subject: 'ada', clientId: 'desk', issuer: 'https://as.example' };

  it.each<[string, Principal | undefined]>([
    ['another user', { ...ada, subject: 'eve' }],
    ['another client of the same user', { ...ada, clientId: 'phone' }],
    ['a client without a name', { subject: 'ada', issuer: 'https://as.example' }],
    ['the subject of another issuer', { ...ada, issuer: 'https://other.example' }],
    ['nobody', undefined],
  ])('[ELI-32] [ELI-35] [MRTR-12] is worth nothing to %s', async (_who, principal) => {
    let runs = 0;
    const server = create({ state: { keys: [stateKey] } }).tool('ask', {}, async (_args, ctx) => {
      runs += 1;
      return JSON.stringify(await ctx.elicit('who', form));
    });
    const { state } = await send(server, 'ask', {}, { principal: ada });
    const answers = { who: accept({ name: 'Ada' }) };
    const stolen = { state, answers, ...(principal === undefined ? {} : { principal }) };
    expect((await send(server, 'ask', {}, stolen)).error?.code).toBe(-32602);
    expect(runs).toBe(1);
    expect((await send(server, 'ask', {}, { state, answers, principal: ada })).text).toContain('Ada');
  });
});

describe('what the user did with a form', () => {
  it.each([
    [{ action: 'decline' }, '{"action":"decline"}'],
    [{ action: 'cancel', content: null }, '{"action":"cancel"}'],
    [{ action: 'decline', content: { qty: 'junk' } }, '{"action":"decline"}'],
    [{ action: 'decline', content: { qty: { nested: 1 } } }, '{"action":"decline"}'],
    [{ action: 'accept', content: { qty: 2 } }, '{"action":"accept","content":{"qty":2}}'],
    [{ action: 'accept', content: {} }, -32602],
    [{ action: 'accept' }, -32602],
    [{ action: 'reject' }, -32602],
  ])('[elicit-01] [ELI-12] [ELI-30] is %j, and its content counts with accept alone', async (answer, expected) => {
    const schema = { type: 'object', properties: { qty: { type: 'integer' } }, required: ['qty'] };
    const server = create().tool('ask', {}, async (_args, ctx) =>
      JSON.stringify(await ctx.elicit('qty', { message: 'How many?', schema })),
    );
    const { state } = await send(server, 'ask');
    const { text, error } = await send(server, 'ask', {}, { state, answers: { qty: answer } });
    expect(text ?? error?.code).toBe(expected);
  });
});

describe('a page that the user opens', () => {
  it('[ELI-31] counts as done by the record of the author, whatever comes with the consent', async () => {
    const paid = new Set<string>();
    const seen: unknown[] = [];
    const server = create().tool('pay', {}, async (_args, ctx) => {
      for (let round = 1; !paid.has('1') && round < 4; round += 1)
        seen.push(await ctx.elicit(`page-${round}`, { message: 'Pay', url: 'https://pay.example/1' }));
      return 'paid';
    });
    const one = await send(server, 'pay');
    const consent = { action: 'accept', content: { paid: true }, status: 'paid' };
    const two = await send(server, 'pay', {}, { state: one.state, answers: { 'page-1': consent } });
    expect([two.asks, two.text]).toEqual([['page-2'], undefined]);
    expect(seen.at(-1)).toEqual({ action: 'accept' });
    paid.add('1');
    expect((await send(server, 'pay', {}, { state: two.state, answers: { 'page-2': consent } })).text).toBe('paid');
  });
});

describe('a request for a page', () => {
  it('[ELI-46] [ELI-09] has a mode, a message and the URL, and nothing of older revisions', async () => {
    const server = create().tool('pay', {}, async (_args, ctx) => {
      const { action } = await ctx.elicit('page', { message: 'Pay', url: 'https://pay.example/1' });
      return action;
    });
    const { result } = await send(server, 'pay');
    expect(result?.['inputRequests']).toEqual({
      page: { method: 'elicitation/create', params: { mode: 'url', message: 'Pay', url: 'https://pay.example/1' } },
    });
  });
});

describe('a loop over the model of the client', () => {
  it('[SAM-21] ends after maxRounds rounds, with an error of the tool', async () => {
    const messages: CreateMessageParams['messages'] = [{ role: 'user', content: { type: 'text', text: 'go on' } }];
    const server = create({ state: { maxRounds: 4 } }).tool('loop', {}, async (_args, ctx) => {
      for (let step = 0; ; step += 1) {
        await ctx.sample(`s${step}`, {
          messages,
          maxTokens: 9,
          tools: [{ name: 'w', inputSchema: { type: 'object' } }],
        });
      }
    });
    const use = { type: 'tool_use', id: 'u', name: 'w', input: {} };
    const rounds = await follow(server, 'loop', { role: 'assistant', model: 'm', content: use, stopReason: 'toolUse' });
    expect(rounds.map(({ asks }) => asks.length)).toEqual([1, 1, 1, 1, 0]);
    expect(rounds.at(-1)?.result).toMatchObject({ isError: true });
  });

  it('[SAM-12] sends what its handler gives and nothing of an earlier request', async () => {
    const server = create().tool('say', { input: z.object({ text: z.string() }) }, async ({ text }, ctx) => {
      const messages: CreateMessageParams['messages'] = [{ role: 'user', content: { type: 'text', text } }];
      return JSON.stringify(await ctx.sample('s', { messages, maxTokens: 9 }));
    });
    for (const text of ['one', 'two']) {
      const { result } = await send(server, 'say', { text });
      expect(result?.['inputRequests']).toMatchObject({
        s: { params: { messages: [{ role: 'user', content: { type: 'text', text } }] } },
      });
    }
  });
});

describe('the folders of a client', () => {
  const asking = (): Server =>
    create().tool('where', {}, async (_args, ctx) => {
      const before = await ctx.roots('folders');
      await ctx.elicit('who', form);
      const after = await ctx.roots('folders');
      return JSON.stringify([before, after]);
    });

  it('[roots-01] reach the handler as the client wrote them, each good for a path', async () => {
    const uris = [
      'file:///c%3A/temp',
      'file:///C:/Program%20Files/x',
      'file:///home/k%C3%A4te/a%23b',
      'file://localhost/srv/a',
      'file:///srv/100%25',
    ];
    const server = create().tool('paths', {}, async (_args, ctx) => {
      const roots = await ctx.roots('folders');
      return JSON.stringify([
        roots.map(({ uri }) => uri),
        roots.slice(0, 2).map(({ uri }) => fileURLToPath(uri, { windows: true })),
        roots.slice(2).map(({ uri }) => fileURLToPath(uri, { windows: false })),
      ]);
    });
    const { state } = await send(server, 'paths');
    const folders = { roots: uris.map((uri) => ({ uri })) };
    expect(JSON.parse((await send(server, 'paths', {}, { state, answers: { folders } })).text ?? '')).toEqual([
      uris,
      [String.raw`c:\temp`, String.raw`C:\Program Files\x`],
      ['/home/käte/a#b', '/srv/a', '/srv/100%'],
    ]);
  });

  it.each(['https://kiln.test/x', 'file://other-host/share', 'file:/srv', '/srv'])(
    '[roots-01] are refused with -32602 where one is %j, which names no folder of the client',
    async (uri) => {
      const server = create().tool('paths', {}, async (_args, ctx) => {
        await ctx.roots('folders');
        return 'taken';
      });
      const { state } = await send(server, 'paths');
      const answers = { folders: { roots: [{ uri: 'file:///fine' }, { uri }] } };
      const { error } = await send(server, 'paths', {}, { state, answers });
      expect(error).toMatchObject({ code: -32602, message: expect.stringContaining('roots[1].uri') as string });
    },
  );

  it('[ROOT-13] [ROOT-11] are asked for once in a request and anew in the next, where they may be gone', async () => {
    const server = asking();
    for (const roots of [[{ uri: 'file:///work' }], []]) {
      const one = await send(server, 'where');
      expect(one.asks).toEqual(['folders']);
      const two = await send(server, 'where', {}, { state: one.state, answers: { folders: { roots } } });
      expect(two.asks).toEqual(['who']);
      const { text } = await send(server, 'where', {}, { state: two.state, answers: { who: { action: 'decline' } } });
      expect(JSON.parse(text ?? '')).toEqual([roots, roots]);
    }
  });
});

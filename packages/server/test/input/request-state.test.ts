import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { Principal } from '@switchyard/protocol';
import { createServer, type ServerOptions, silentLogger } from '@switchyard/server';
import { serveHttp, stateKeysFromEnvironment, stateKeysFromFile } from '@switchyard/server/node';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { z } from 'zod';

import { createRecorder } from '../recorder.ts';
import { accept, send } from './input-route.ts';

const schema = z.object({ name: z.string() });
const key = (byte: number, bytes = 32): string => Buffer.alloc(bytes, byte).toString('base64url');

function create(options: ServerOptions = {}, description = 'asks', handlerVersion = '1') {
  const ran: unknown[] = [];
  const server = createServer({ name: 'state', version: '1.0.0' }, { state: { keys: [key(1)] }, ...options });
  for (const tool of ['ask', 'other']) {
    server.tool(
      tool,
      { description, handlerVersion, input: z.object({ n: z.number().optional(), m: z.string().optional() }) },
      async (args, ctx) => {
        ran.push(args);
        const answer = await ctx.elicit('who', { message: 'Who?', schema });
        return JSON.stringify(answer);
      },
    );
  }
  return { server, ran };
}

const answers = { who: accept({ name: 'Ada' }) };
const badState = {
  code: -32602,
  message: 'The request state is not good for this request: send the request again without it and without its answers',
};

describe('request state', () => {
  it('[MRTR-08] [MRTR-09] [MRTR-10] is refused before the handler runs when any byte of it was altered', async () => {
    const { server, ran } = create();
    const { state = '' } = await send(server, 'ask');
    expect(state).toBeTypeOf('string');
    const before = ran.length;
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.';
    await fc.assert(
      fc.asyncProperty(fc.nat(state.length - 1), fc.constantFrom(...alphabet), async (at, character) => {
        fc.pre(state[at] !== character);
        const altered = `${state.slice(0, at)}${character}${state.slice(at + 1)}`;
        const { error } = await send(server, 'ask', {}, { state: altered, answers });
        expect(error).toEqual(badState);
      }),
      { numRuns: 500 },
    );
    // Every character once, changed in its lowest bit, so that bits which decoding drops are reached as well.
    for (let at = 0; at < state.length; at += 1) {
      const index = alphabet.indexOf(state[at] ?? '');
      const altered = `${state.slice(0, at)}${alphabet[index ^ 1]}${state.slice(at + 1)}`;
      expect((await send(server, 'ask', {}, { state: altered, answers })).error).toEqual(badState);
    }
    expect(ran.length).toBe(before);
    expect((await send(server, 'ask', {}, { state, answers })).text).toContain('Ada');
  });

  it.each(['', 'x', '....', 'a.b.c.d.e', 'x'.repeat(70_000), '\u0000', '{}'])(
    '[MRTR-10] is refused when it is none: %j',
    async (state) => {
      const { server, ran } = create();
      expect((await send(server, 'ask', {}, { state, answers })).error).toEqual(badState);
      expect(
        (await send(server, 'ask', {}, { state: `${(await send(server, 'ask')).state}${state || ' '}`, answers }))
          .error,
      ).toEqual(badState);
      expect(ran).toHaveLength(1);
    },
  );

  const ada: Principal = { subject: 'ada', tenant: 't1' };
  it.each<[string, Parameters<typeof send>[2], Parameters<typeof send>[3], string?]>([
    ['[MRTR-12] by another subject', { n: 1 }, { principal: { ...ada, subject: 'eve' } }],
    ['[MRTR-12] in another tenant', { n: 1 }, { principal: { ...ada, tenant: 't2' } }],
    ['[MRTR-12] from another issuer', { n: 1 }, { principal: { ...ada, issuer: 'https://other.example' } }],
    ['[MRTR-12] by nobody', { n: 1 }, {}],
    ['[MRTR-14] of another tool', { n: 1 }, { principal: ada }, 'other'],
    ['[MRTR-14] with other arguments', { n: 2 }, { principal: ada }],
    ['[MRTR-14] with further arguments', { n: 1, m: '' }, { principal: ada }],
  ])('is refused before the handler runs %s', async (_how, args, retry, tool = 'ask') => {
    const { server, ran } = create();
    const { state } = await send(server, 'ask', { n: 1 }, { principal: ada });
    const { error } = await send(server, tool, args, { ...retry, state, answers });
    expect(error).toEqual(badState);
    expect(ran).toHaveLength(1);
  });

  it('is good for the same arguments in another order', async () => {
    const { server } = create();
    const { state } = await send(server, 'ask', { n: 1, m: 'x' }, { principal: ada });
    expect((await send(server, 'ask', { m: 'x', n: 1 }, { principal: ada, state, answers })).text).toContain('Ada');
  });

  it('is refused after the definition or the version of the handler has changed', async () => {
    const { state } = await send(create().server, 'ask');
    expect((await send(create().server, 'ask', {}, { state, answers })).text).toContain('Ada');
    for (const changed of [create({}, 'asks otherwise'), create({}, 'asks', '2')]) {
      expect((await send(changed.server, 'ask', {}, { state, answers })).error).toEqual(badState);
      expect(changed.ran).toEqual([]);
    }
  });

  it('is refused for another audience, and by a server of another name', async () => {
    const { state } = await send(create().server, 'ask');
    const { server, ran } = create({ state: { keys: [key(1)], audience: 'https://other.example' } });
    expect((await send(server, 'ask', {}, { state, answers })).error).toEqual(badState);
    expect(ran).toEqual([]);
  });

  it('[MRTR-13] is good for 10 minutes', async () => {
    let time = 1_000_000;
    const { server, ran } = create({ epochNow: () => time });
    const { state } = await send(server, 'ask');
    time += 599_999;
    expect((await send(server, 'ask', {}, { state, answers })).text).toContain('Ada');
    time += 1;
    expect((await send(server, 'ask', {}, { state, answers })).error).toEqual(badState);
    expect(ran).toHaveLength(2);
  });

  it('[ELI-33] shows nothing of what it holds', async () => {
    const server = createServer({ name: 'secret', version: '1.0.0' }).tool('t', {}, async (_args, ctx) => {
      await ctx.step('s', () => 'the-secret-of-the-step');
      await ctx.elicit('who', { message: 'Who?', schema });
      return '';
    });
    const { state = '' } = await send(server, 't');
    const decoded = state.split('.').map((part) => Buffer.from(part, 'base64url').toString('latin1'));
    expect(decoded.join()).not.toContain('secret');
    expect(JSON.parse(decoded[0] ?? '')).toMatchObject({ alg: 'dir', enc: 'A256GCM' });
  });
});

const OLD_STAY = 'the keys for request state cannot be read again: the old ones stay';

describe('the keys of request state', () => {
  it('rotate without a restart: the first seals, all of them open', async () => {
    let keys = [key(1)];
    let now = 0;
    const { server } = create({ state: { keys: () => Promise.resolve(keys) }, now: () => now });
    const old = await send(server, 'ask');
    keys = [key(2), key(1)];
    now += 30_001;
    await send(server, 'ask');
    const fresh = await send(server, 'ask');
    const kid = ({ state = '' }: typeof old): unknown =>
      JSON.parse(Buffer.from(state.split('.')[0] ?? '', 'base64url').toString('utf8'))['kid'];
    expect(kid(fresh)).not.toBe(kid(old));
    expect((await send(server, 'ask', {}, { state: old.state, answers })).text).toContain('Ada');
    keys = [key(2)];
    now += 60_001;
    expect((await send(server, 'ask', {}, { state: old.state, answers })).error).toEqual(badState);
    expect((await send(server, 'ask', {}, { state: fresh.state, answers })).text).toContain('Ada');
  });

  it('are read again at once for a state that names a key which is not known', async () => {
    let keys = [key(1)];
    let now = 0;
    const { server } = create({ state: { keys: () => keys }, now: () => now });
    await send(server, 'ask');
    const other = create({ state: { keys: [key(2)] } });
    const { state } = await send(other.server, 'ask');
    keys = [key(1), key(2)];
    now += 1_001;
    expect((await send(server, 'ask', {}, { state, answers })).text).toContain('Ada');
  });

  it.each<[string, () => never | Promise<never>]>([
    [
      'throws at once',
      () => {
        throw new Error('vault sealed');
      },
    ],
    ['rejects', () => Promise.reject(new Error('vault sealed'))],
  ])('stay as they were while their source %s, which is logged, until it answers again', async (_, fail) => {
    let source: () => string[] | Promise<string[]> = () => [key(1)];
    let now = 0;
    const logger = createRecorder();
    const { server } = create({ state: { keys: () => source() }, now: () => now, logger });
    const { state } = await send(server, 'ask');
    source = fail;
    for (let time = 0; time < 3; time += 1) {
      now += 30_001;
      expect((await send(server, 'ask', {}, { state, answers })).text).toContain('Ada');
    }
    expect(logger.lines.filter(({ message }) => message === OLD_STAY)).toHaveLength(3);
    source = () => [key(2)];
    now += 60_001;
    expect((await send(server, 'ask', {}, { state, answers })).error).toEqual(badState);
  });

  it('come from a source that threw at once when it was first asked', async () => {
    let fails = true;
    const { server } = create({
      logger: silentLogger,
      state: {
        keys: () => {
          if (fails) throw new Error('not yet');
          return [key(1)];
        },
      },
    });
    expect((await send(server, 'ask')).error?.code).toBe(-32603);
    fails = false;
    expect((await send(server, 'ask')).state).toBeTypeOf('string');
  });

  it('serve while they are read again, however long that takes; after 5 seconds they stay, which is logged', async () => {
    let hangs = false;
    let now = 0;
    const source = (): Promise<string[]> => (hangs ? new Promise(() => undefined) : Promise.resolve([key(1)]));
    const logger = createRecorder();
    const { server } = create({ state: { keys: source }, now: () => now, logger });
    const { state } = await send(server, 'ask');
    hangs = true;
    now += 30_001;
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    expect((await send(server, 'ask', {}, { state, answers })).text).toContain('Ada');
    expect((await send(server, 'ask')).state).toBeTypeOf('string');
    await vi.advanceTimersByTimeAsync(5_000);
    expect((await send(server, 'ask', {}, { state, answers })).text).toContain('Ada');
    expect(logger.lines.map(({ message }) => message)).toContain(OLD_STAY);
  });

  it('are waited for after a minute in which nobody needed them', async () => {
    let keys = [key(1)];
    let now = 0;
    const { server } = create({ state: { keys: () => Promise.resolve(keys) }, now: () => now });
    const { state } = await send(server, 'ask');
    keys = [key(2)];
    now += 60_000;
    expect((await send(server, 'ask', {}, { state, answers })).error).toEqual(badState);
  });

  it.each([
    ['none was ever read', 0],
    ['the state names another than those that were', 1],
  ])('that cannot be read are no fault of the state: -32603 where %s', async (_, readsBefore) => {
    const { state } = await send(create({ state: { keys: [key(2)] } }).server, 'ask');
    let reads = 0;
    let now = 0;
    let fails = true;
    const source = (): Promise<string[]> => {
      reads += 1;
      return reads > readsBefore && fails
        ? Promise.reject(new Error('vault sealed'))
        : Promise.resolve([key(1), ...(fails ? [] : [key(2)])]);
    };
    const { server } = create({ state: { keys: source }, now: () => now, logger: silentLogger });
    if (readsBefore > 0) await send(server, 'ask');
    for (let time = 0; time < 2; time += 1) {
      now += 1_001;
      expect((await send(server, 'ask', {}, { state, answers })).error?.code).toBe(-32603);
    }
    fails = false;
    now += 1_001;
    expect((await send(server, 'ask', {}, { state, answers })).text).toContain('Ada');
  });

  it.each([[[]], [['']], [['%%%']], [[key(1, 31)]], [[key(1), 'c2hvcnQ']]])(
    'are refused when they are none or shorter than 256 bits: %j',
    (keys) => {
      const make = (): unknown => create({ state: { keys } }).server.endpoint();
      expect(make).toThrow(TypeError);
      expect(make).not.toThrow(/c2hvcnQ|%%%/);
    },
  );

  it('refuse to start from the environment when they are too short, and beyond loopback when there is none', async () => {
    const { server } = create({
      state: { keys: stateKeysFromEnvironment({ SWITCHYARD_STATE_KEYS: key(1, 16) }) as never },
    });
    await expect(serveHttp(server, { port: 0 })).rejects.toThrow(/128 bits/);
    const bare = createServer({ name: 'bare', version: '1.0.0' });
    const open = { port: 0, host: '0.0.0.0', authenticate: () => 'anonymous' as const };
    await expect(serveHttp(bare, open)).rejects.toThrow(/SWITCHYARD_STATE_KEYS/);
    const none = createServer({ name: 'none', version: '1.0.0' }, { state: false });
    await (await serveHttp(none, open)).close();
  });

  it('are refused with the place where they came from, and with how to make one', async () => {
    for (const bad of ['hello', '%%%', key(1, 16)])
      expect(() => stateKeysFromEnvironment({ SWITCHYARD_STATE_KEYS: bad })?.()).toThrow(
        /^SWITCHYARD_STATE_KEYS: the key for request state .*openssl rand -base64 32/,
      );
    const path = join(folder, 'bad-keys');
    await writeFile(path, `${key(1)}\nhello\n`, { mode: 0o600 });
    await expect(stateKeysFromFile(path)()).rejects.toThrow(`${path}: key 2 for request state is not base64url`);
    const make = (): unknown => create({ state: { keys: ['hello'] } }).server.endpoint();
    expect(make).toThrow('state.keys: the key for request state is not base64url');
  });

  it('come from the environment: separated by commas, read anew each time', async () => {
    const environment: Record<string, string> = { SWITCHYARD_STATE_KEYS: `${key(1)}, ${key(2)}` };
    const source = stateKeysFromEnvironment(environment);
    expect(await source?.()).toEqual([key(1), key(2)]);
    environment['SWITCHYARD_STATE_KEYS'] = key(3);
    expect(await source?.()).toEqual([key(3)]);
    expect(stateKeysFromEnvironment({})).toBeUndefined();
    expect(stateKeysFromEnvironment({ SWITCHYARD_STATE_KEYS: ' ' })).toBeUndefined();
  });

  let folder = '';
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'state-keys-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  it('come from a file that its owner alone may read', async () => {
    const path = join(folder, 'keys');
    await writeFile(path, `${key(1)}\n${key(2)}\n`, { mode: 0o600 });
    const source = stateKeysFromFile(path);
    expect(await source()).toEqual([key(1), key(2)]);
    await chmod(path, 0o640);
    await expect(source()).rejects.toThrow(/chmod 600/);
    await expect(stateKeysFromFile(join(folder, 'absent'))()).rejects.toThrow(/ENOENT/);
  });
});

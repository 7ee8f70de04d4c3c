import {
  createServer,
  InputError,
  inputRequired,
  ProtocolError,
  type RequestContext,
  ToolError,
} from '@switchyard/server';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { createRecorder } from '../recorder.ts';
import { accept, send } from './input-route.ts';

const schema = z.object({ name: z.string() });

/** Runs a handler for two rounds and answers two notes: what it noted in each. */
async function notesOf(run: (ctx: RequestContext) => Promise<unknown>): Promise<unknown[]> {
  const notes: unknown[] = [];
  const server = createServer({ name: 'steps', version: '1.0.0' }).tool('t', {}, async (_args, ctx) => {
    try {
      notes.push(await run(ctx));
    } catch (error) {
      notes.push(error);
    }
    await ctx.elicit('who', { message: 'Who?', schema });
    return 'done';
  });
  const one = await send(server, 't');
  const two = await send(server, 't', {}, { state: one.state, answers: { who: accept({ name: 'Ada' }) } });
  expect(two.text).toBe('done');
  expect(notes).toHaveLength(2);
  return notes;
}

describe('a step', () => {
  it('runs once for all rounds, and its value is the same JSON copy in each', async () => {
    let ran = 0;
    const notes = await notesOf((ctx) =>
      ctx.step('s', () => ({ at: new Date(0), n: (ran += 1), left: undefined, list: [1, 'two', null] })),
    );
    expect(ran).toBe(1);
    expect(notes).toEqual([0, 1].map(() => ({ at: '1970-01-01T00:00:00.000Z', n: 1, list: [1, 'two', null] })));
  });

  it('may have nothing to say', async () => {
    expect(await notesOf((ctx) => ctx.step('s', () => undefined))).toEqual([undefined, undefined]);
  });

  it('gives each round a copy of its own', async () => {
    const notes = await notesOf(async (ctx) => {
      const value = await ctx.step('s', () => ({ n: 1 }));
      const before = value.n;
      value.n = 2;
      return before;
    });
    expect(notes).toEqual([1, 1]);
  });

  it.each([
    ['a function', () => () => 1, /a function/],
    ['a bigint', () => 1n, /a bigint/],
    ['a symbol', () => Symbol('s'), /a symbol/],
    ['NaN', () => ({ a: [Number.NaN] }), /NaN at \.a\[0\]/],
    ['a Map', () => new Map([[1, 2]]), /\[object Map\]/],
    ['undefined in a list', () => [undefined], /undefined at \[0\]/],
    ['an invalid date', () => ({ at: new Date(Number.NaN) }), /an invalid date at \.at/],
    ['what writes itself as nothing', () => ({ toJSON: () => undefined }), /undefined/],
    ['what writes itself as a bigint', () => ({ a: { toJSON: () => 1n } }), /a bigint at \.a/],
  ])('fails with its name for %s', async (_what, work, message) => {
    const notes = await notesOf((ctx) => ctx.step<unknown>('s', work));
    for (const note of notes) {
      expect(note).toMatchObject({ name: 'InputError', message: expect.stringMatching(/the step "s"/) as string });
      expect((note as Error).message).toMatch(message);
    }
  });

  it('fails with its name for more than 16 KiB, counted in bytes', async () => {
    const [fits, tooLarge] = [
      await notesOf((ctx) => ctx.step('s', () => 'é'.repeat(8191))),
      await notesOf((ctx) => ctx.step('s', () => 'é'.repeat(8192))),
    ];
    expect(fits).toEqual(['é'.repeat(8191), 'é'.repeat(8191)]);
    expect(tooLarge[0]).toMatchObject({ message: expect.stringContaining('16384') as string });
  });

  it('throws the same again in each round', async () => {
    let ran = 0;
    const notes = await notesOf((ctx) =>
      ctx.step('s', () => {
        ran += 1;
        throw new RangeError('out of paper');
      }),
    );
    expect(ran).toBe(1);
    for (const note of notes) expect(note).toMatchObject({ name: 'RangeError', message: 'out of paper' });
  });

  it.each([
    ['an object without a text', () => Object.create(null) as object, 'something without a text'],
    ['an error whose message is none', () => Object.assign(new Error('x'), { message: 7n }), '7'],
  ])('throws the same again in each round, whatever it was: %s', async (_what, make, message) => {
    const notes = await notesOf((ctx) =>
      ctx.step('s', () => {
        throw make();
      }),
    );
    expect(notes.map((error) => (error as Error).message)).toEqual([message, message]);
  });

  it('keeps what a ToolError and a ProtocolError say', async () => {
    const tool = await notesOf((ctx) =>
      ctx.step('s', () => {
        throw new ToolError('not yours', { order: 'A-1' });
      }),
    );
    for (const note of tool) {
      expect(note).toBeInstanceOf(ToolError);
      expect(note).toMatchObject({ message: 'not yours', data: { order: 'A-1' } });
    }
    const protocol = await notesOf((ctx) =>
      ctx.step('s', () => {
        throw new ProtocolError(1001, 'refused', { data: { why: 'budget' }, status: 429 });
      }),
    );
    for (const note of protocol) {
      expect(note).toBeInstanceOf(ProtocolError);
      expect(note).toMatchObject({ code: 1001, message: 'refused', data: { why: 'budget' }, status: 429 });
    }
  });

  it('keeps the code of an InputError', async () => {
    const notes = await notesOf((ctx) => ctx.step('s', () => 'x'.repeat(20_000)));
    for (const note of notes) {
      expect(note).toBeInstanceOf(InputError);
      expect(note).toMatchObject({ name: 'InputError', code: 'value' });
    }
  });

  it('makes a state that is too large fail with the name of the largest one', async () => {
    const logger = createRecorder();
    const server = createServer({ name: 'large', version: '1.0.0' }, { logger }).tool('t', {}, async (_args, ctx) => {
      for (let index = 0; index < 4; index += 1) await ctx.step(`s${index}`, () => 'x'.repeat(15_000));
      await ctx.step('largest', () => 'x'.repeat(16_000));
      await ctx.elicit('who', { message: 'Who?', schema });
      return 'done';
    });
    const { error } = await send(server, 't');
    expect(error).toMatchObject({ code: -32603 });
    const cause = logger.lines.find(({ level }) => level === 'error')?.fields['err'];
    expect(cause).toBeInstanceOf(InputError);
    expect(cause).toMatchObject({
      code: 'state',
      message: expect.stringContaining('the largest part is the step "largest" with 16') as string,
    });
  });

  it('is not to blame for a state that an answer made too large', async () => {
    const logger = createRecorder();
    const server = createServer({ name: 'large', version: '1.0.0' }, { logger }).tool('t', {}, async (_args, ctx) => {
      await ctx.step('small', () => 1);
      for (const key of ['who', 'then']) await ctx.elicit(key, { message: 'Who?', schema });
      return 'done';
    });
    const { state } = await send(server, 't');
    const answers = { who: accept({ name: 'x'.repeat(60_000) }) };
    expect((await send(server, 't', {}, { state, answers })).error).toMatchObject({ code: -32603 });
    const cause = logger.lines.find(({ level }) => level === 'error')?.fields['err'];
    expect(cause).toMatchObject({
      message: expect.stringContaining('the largest part is the answer to "who"') as string,
    });
  });

  it('is not to blame for a state that what inputRequired keeps made too large', async () => {
    const logger = createRecorder();
    const server = createServer({ name: 'large', version: '1.0.0' }, { logger }).tool('t', {}, async (_args, ctx) => {
      await ctx.step('small', () => 'x'.repeat(500));
      return inputRequired({ keep: 'x'.repeat(50_000) });
    });
    expect((await send(server, 't')).error).toMatchObject({ code: -32603 });
    const cause = logger.lines.find(({ level }) => level === 'error')?.fields['err'];
    expect(cause).toMatchObject({
      message: expect.stringContaining('the largest part is what inputRequired keeps with 50002 characters') as string,
    });
  });
});

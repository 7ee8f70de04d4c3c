import { type Completer, createServer, type Server, silentLogger } from '@switchyard/server';
import { describe, expect, it } from 'vitest';

import { openMemory } from './memory-route.ts';

const create = (): Server => createServer({ name: 'completion', version: '1.0.0' }, { logger: silentLogger });
const numbers = (count: number): string[] => Array.from({ length: count }, (_, index) => String(index));

function createWith(complete: Completer): Server {
  return create()
    .prompt('review', { args: { language: { complete }, code: 'Code' } }, () => 'x')
    .resourceTemplate('orders://{tenant}/{id}', { name: 'orders', complete: { tenant: complete } }, () => 'x')
    .resource('orders://all', { name: 'all' }, () => 'x');
}

const ofPrompt = { type: 'ref/prompt', name: 'review' };
const ofTemplate = { type: 'ref/resource', uri: 'orders://{tenant}/{id}' };

async function complete(server: Server, ref: object, name: string, value = '', context?: object): Promise<unknown> {
  const { result, error } = await openMemory(server).request('completion/complete', {
    ref,
    argument: { name, value },
    ...(context === undefined ? {} : { context }),
  });
  return error?.code ?? result?.['completion'];
}

describe('a completion', () => {
  it('[COMP-03] comes from the completer of a prompt argument or a template variable, with what is settled', async () => {
    const seen: unknown[] = [];
    const server = createWith((value, others) => {
      seen.push([value, others]);
      return [`${value}thon`];
    });
    expect(await complete(server, ofPrompt, 'language', 'py')).toEqual({
      values: ['python'],
      total: 1,
      hasMore: false,
    });
    expect(await complete(server, ofTemplate, 'tenant', 'a', { arguments: { id: '7' } })).toMatchObject({
      values: ['athon'],
    });
    expect(await complete(server, ofTemplate, 'tenant', '', {})).toMatchObject({ values: ['thon'] });
    expect(seen).toEqual([
      ['py', {}],
      ['a', { id: '7' }],
      ['', {}],
    ]);
  });

  it.each([
    [0, 0, false],
    [1, 1, false],
    [100, 100, false],
    [101, 100, true],
    [5_000, 100, true],
  ])('[COMP-02] cuts %i suggestions to %i and says whether there are more', async (count, kept, hasMore) => {
    expect(
      await complete(
        createWith(() => numbers(count)),
        ofPrompt,
        'language',
      ),
    ).toEqual({
      values: numbers(kept),
      total: count,
      hasMore,
    });
    const own = createWith(() => Promise.resolve({ values: numbers(count), total: 9_999 }));
    expect(await complete(own, ofPrompt, 'language')).toEqual({ values: numbers(kept), total: 9_999, hasMore });
  });

  it('keeps what the completer says of its own total', async () => {
    const server = createWith(() => ({ values: ['a'], hasMore: true }));
    expect(await complete(server, ofPrompt, 'language')).toEqual({ values: ['a'], hasMore: true });
  });

  it('is empty where nobody completes', async () => {
    const server = createWith(() => ['a']);
    for (const [ref, name] of [
      [ofPrompt, 'code'],
      [ofTemplate, 'id'],
      [{ type: 'ref/resource', uri: 'orders://all' }, 'id'],
    ] as const) {
      expect(await complete(server, ref, name)).toEqual({ values: [] });
    }
  });

  it.each<[string, object, string]>([
    ['an unknown prompt', { type: 'ref/prompt', name: 'absent' }, 'language'],
    ['an unknown argument', ofPrompt, 'absent'],
    ['an inherited member as the argument', ofPrompt, 'constructor'],
    ['an unknown template', { type: 'ref/resource', uri: 'orders://{id}' }, 'tenant'],
    ['an unknown variable', ofTemplate, 'absent'],
    ['a reference of another type', { type: 'ref/tool', name: 'review' }, 'language'],
    ['a reference without its member', { type: 'ref/prompt', uri: 'x://a' }, 'language'],
  ])('[COMP-04] [COMP-13] is -32602 for %s', async (_, ref, name) => {
    expect(
      await complete(
        createWith(() => ['a']),
        ref,
        name,
      ),
    ).toBe(-32602);
  });

  it('[COMP-13] is -32602 for texts that are too long, before the completer', async () => {
    let runs = 0;
    const server = createWith(() => [String((runs += 1))]);
    expect(await complete(server, ofPrompt, 'language', 'x'.repeat(4_097))).toBe(-32602);
    expect(await complete(server, ofPrompt, 'language', '', { arguments: { code: 'x'.repeat(65_533) } })).toBe(-32602);
    expect(runs).toBe(0);
    const longest = { arguments: { code: 'x'.repeat(65_532) } };
    expect(await complete(server, ofPrompt, 'language', 'x'.repeat(4_096), longest)).toMatchObject({ values: ['1'] });
  });

  it.each<[string, object]>([
    ['no reference', { argument: { name: 'language', value: '' } }],
    ['no argument', { ref: ofPrompt }],
    ['an argument without a value', { ref: ofPrompt, argument: { name: 'language' } }],
    ['a value that is a number', { ref: ofPrompt, argument: { name: 'language', value: 1 } }],
    [
      'settled arguments that are numbers',
      { ref: ofPrompt, argument: { name: 'language', value: '' }, context: { arguments: { code: 1 } } },
    ],
  ])('[COMP-13] is -32602 for %s', async (_, params) => {
    const { error } = await openMemory(createWith(() => ['a'])).request('completion/complete', params);
    expect(error?.code).toBe(-32602);
  });
});

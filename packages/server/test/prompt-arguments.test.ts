import { createServer, type PromptDefinition, type Server, silentLogger } from '@switchyard/server';
import { describe, expect, it } from 'vitest';

import { openMemory } from './memory-route.ts';

const create = (): Server => createServer({ name: 'prompts', version: '1.0.0' }, { logger: silentLogger });

type Definition = PromptDefinition<{ readonly a: { readonly maxChars?: number; readonly required: false } }>;

/** The error's message for each set of arguments, or what the handler got. */
async function get(definition: Definition, ...sets: readonly object[]): Promise<unknown[]> {
  let got: unknown;
  const server = create().prompt('p', definition, (args) => {
    got = { ...args };
    return 'x';
  });
  const answers: unknown[] = [];
  for (const args of sets) {
    got = undefined;
    const { error } = await openMemory(server).request('prompts/get', { name: 'p', arguments: args });
    if (error !== undefined) expect([error.code, got]).toEqual([-32602, undefined]);
    answers.push(error?.message ?? got);
  }
  return answers;
}

const args = { a: { required: false }, b: { required: false }, c: { required: false, maxChars: 10 } } as const;

describe('the arguments of a prompt', () => {
  it.each<[string, Definition, object, object, RegExp]>([
    [
      '4,096 characters by default',
      { args },
      { a: 'x'.repeat(4_096) },
      { a: 'x'.repeat(4_097) },
      /"a".*4097.*at most 4096/,
    ],
    ['what maxChars says', { args }, { c: 'x'.repeat(10) }, { c: 'x'.repeat(11) }, /"c".*11 characters.*at most 10/],
    [
      'what maxTotalChars says, together',
      { args, maxTotalChars: 20 },
      { a: 'x'.repeat(15), b: 'x'.repeat(5) },
      { a: 'x'.repeat(15), b: 'x'.repeat(6) },
      /have 21 characters together; it takes at most 20/,
    ],
  ])('[PRM-10] [PRM-13] hold at most %s', async (_, definition, fits, long, message) => {
    expect(await get(definition, fits, long)).toEqual([fits, expect.stringMatching(message)]);
  });

  it('[PRM-13] hold at most 65,536 characters together by default, and more where one of them may', async () => {
    const names = Array.from({ length: 17 }, (_, index) => `a${index}`);
    const many = Object.fromEntries(names.map((name) => [name, { required: false }])) as typeof args;
    const full = Object.fromEntries(names.slice(1).map((name) => [name, 'x'.repeat(4_096)]));
    const large = { a: { required: false, maxChars: 100_000 } } as const;
    expect(await get({ args: many }, full, { ...full, a0: 'x' })).toEqual([
      full,
      expect.stringMatching(/65537.*65536/),
    ]);
    expect(await get({ args: large }, { a: 'x'.repeat(100_000) })).toEqual([{ a: 'x'.repeat(100_000) }]);
  });

  it.each(['\0', 'a\u0007', '\u001b[31m', '\u007f', '\u0085', '\u009b', '\ud800', 'a\udc00b'])(
    '[PRM-13] hold no control character and no half of a character: %j',
    async (value) => {
      expect(await get({ args }, { a: value })).toEqual([expect.stringMatching(/"a".*holds a control character/)]);
    },
  );

  it('may hold tabs, line breaks and every other character', async () => {
    const value = 'a\tb\nc\r\nd – é 😀 ``` <|im_start|>';
    expect(await get({ args }, { a: value })).toEqual([{ a: value }]);
  });

  it.each<[string, Definition, RegExp]>([
    [
      'none',
      { args: { a: { required: false, maxChars: 0 } } },
      /args\.a\.maxChars must be an integer from 1 to 1048576/,
    ],
    ['too many', { args: { a: { required: false, maxChars: 2_000_000 } } }, /not 2000000/],
    ['none together', { args: {}, maxTotalChars: 0 } as Definition, /maxTotalChars must be an integer/],
  ])('have limits within bounds: %s', (_, definition, message) => {
    expect(() => create().prompt('p', definition, () => 'x')).toThrow(message);
  });
});

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { expect, it } from 'vitest';

import type { Received } from './wire.ts';

const program = fileURLToPath(new URL('./fixtures/without-code-generation.ts', import.meta.url));

it('serves tools without input and those of zod and arktype where eval is forbidden, and refuses a plain JSON Schema at once', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--conditions=@switchyard/source',
    '--disallow-code-generation-from-strings',
    program,
  ]);
  const { refusals, answers } = JSON.parse(stdout) as { readonly refusals: string[]; readonly answers: Received[] };
  expect(refusals).toEqual([
    expect.stringMatching(/^TypeError: .*forbids generating code.*zod or arktype/),
    expect.stringMatching(/^TypeError: .*forbids generating code.*zod or arktype/),
  ]);
  expect(answers.map(({ result }) => result)).toMatchObject([
    { content: [{ text: 'none' }] },
    { isError: true, content: [{ text: expect.stringContaining('/surplus') }] },
    { structuredContent: { n: 1 } },
    { isError: true, content: [{ text: expect.stringContaining('/n') }] },
    { content: [{ text: '2' }] },
  ]);
});

import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMemoryTransport, type Transport } from '@switchyard/client';
import { createScriptedServer, toolDefinition } from '@switchyard/testing';
import { afterEach, beforeEach, expect, it } from 'vitest';

import { callStranger } from '../src/untrusted.ts';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stranger-'));
});
afterEach(() => rm(folder, { recursive: true }));

function stranger(result: object): Transport {
  return createMemoryTransport(
    createScriptedServer({
      tools: [
        toolDefinition('fine', { outputSchema: { type: 'object', required: ['ok'] } }),
        toolDefinition('odd', { inputSchema: { type: 'object', $ref: 'https://a.test/x.json' } }),
        toolDefinition('big', {}),
      ],
      answer: (method) => (method === 'tools/call' ? result : undefined),
    }),
  );
}

const leftOut = expect.stringMatching(/^left out: odd\. Its inputSchema cannot be used/) as string;

it('leaves an unusable tool out and refuses a result that breaks its schema', async () => {
  expect(await callStranger(stranger({ content: [], structuredContent: {} }), 'fine', folder)).toEqual([
    'warned: entry-left-out',
    leftOut,
    'refused: result-rejected',
  ]);
});

it('refuses a text that says something else than the structured form', async () => {
  const result = { content: [{ type: 'text', text: '{"ok":1}' }], structuredContent: { ok: 0 } };
  expect(await callStranger(stranger(result), 'fine', folder)).toContain('refused: result-rejected');
});

it('keeps a large text in a file, as long as it is needed', async () => {
  const result = { content: [{ type: 'text', text: 'x'.repeat(200_000) }] };
  expect(await callStranger(stranger(result), 'big', folder)).toContain('file of 200000');
  expect(await readdir(folder)).toEqual([]);
});

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

import { expect, it, onTestFinished } from 'vitest';

const program = fileURLToPath(new URL('../src/server.ts', import.meta.url));

interface Answer {
  readonly id?: number;
  readonly error?: { readonly code: number };
  readonly result?: { readonly isError?: boolean; readonly content: readonly { readonly text: string }[] };
}

/** Runs the server on these lines and answers the messages that it wrote, in order. */
async function answersTo(...lines: readonly string[]): Promise<Answer[]> {
  const child = spawn(process.execPath, ['--conditions=@switchyard/source', program], {
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const exited = once(child, 'exit');
  child.stdin.end(lines.map((line) => `${line}\n`).join(''));
  const output = await text(child.stdout);
  expect(await exited).toEqual([0, null]);
  return output
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Answer);
}

function add(id: number, args: object): string {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  return JSON.stringify({
    jsonrpc: '2.0',
    id,
    method: 'tools/call',
    params: { name: 'add_numbers', arguments: args, _meta },
  });
}

it('adds two numbers', async () => {
  const [answer] = await answersTo(add(1, { a: 2, b: 0.5 }));
  expect(answer).toMatchObject({
    id: 1,
    result: {
      resultType: 'complete',
      structuredContent: 2.5,
      content: [{ type: 'text', text: '2.5' }],
    },
  });
});

it('answers a broken line with its error, and the next request with its result', async () => {
  const answers = await answersTo('{"jsonrpc":"2.0","id":1,"method":"tools/ca', 'Hello', add(2, { a: 1, b: 1 }));
  expect(answers).toMatchObject([
    { error: { code: -32700 } },
    { error: { code: -32700 } },
    { id: 2, result: { structuredContent: 2 } },
  ]);
  for (const broken of answers.slice(0, 2)) expect(broken).not.toHaveProperty('id');
});

it.each([[true], ['1'], [null], [[1]], [{}]])(
  '[TOOL-27] takes %j for no number, and names the argument and the rule',
  async (a) => {
    const [answer] = await answersTo(add(1, { a, b: 1 }));
    expect(answer).toMatchObject({ id: 1, result: { resultType: 'complete', isError: true } });
    expect(answer?.result?.content[0]?.text).toMatch(/\/a.*number/);
  },
);

it('[LEGS-01] [LEGS-02] [LEGS-30] answers a client of 2024-11-05 with one line for each request', async () => {
  const answers = await answersTo(
    '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2024-11-05","capabilities":{},"clientInfo":{"name":"probe","version":"1"}}}',
    '{"jsonrpc":"2.0","method":"notifications/initialized"}',
    '{"jsonrpc":"2.0","id":2,"method":"tools/list"}',
    '{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"add_numbers","arguments":{"a":2.5,"b":4}}}',
  );
  expect(answers).toHaveLength(3);
  expect(answers).toMatchObject([
    { id: 1, result: { protocolVersion: '2024-11-05', serverInfo: { name: 'minimal', version: '1.0.0' } } },
    { id: 2, result: { tools: [{ name: 'add_numbers' }] } },
    { id: 3, result: { content: [{ type: 'text', text: '6.5' }] } },
  ]);
  // An old client takes structured content for an object.
  expect(answers[2]?.result).not.toHaveProperty('structuredContent');
});

it('[TOOL-27] refuses an argument that is missing or unknown', async () => {
  const answers = await answersTo(add(1, { a: 1 }), add(2, { a: 1, b: 2, c: 3 }));
  expect(answers.map(({ result }) => result?.content[0]?.text)).toEqual([
    expect.stringContaining('/b'),
    expect.stringContaining('/c'),
  ]);
});

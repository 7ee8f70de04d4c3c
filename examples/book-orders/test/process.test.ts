import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

import { expect, it, onTestFinished } from 'vitest';

import { callOrder } from './ask.ts';

const source = (name: string): string => fileURLToPath(new URL(`../src/${name}`, import.meta.url));
const transcript = fileURLToPath(new URL('../../../outputs/book-orders-run.json', import.meta.url));

async function drive(...args: readonly string[]): Promise<{ readonly code: unknown; readonly output: string }> {
  const child = spawn(process.execPath, ['--conditions=@switchyard/source', source('drive.ts'), ...args], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const exited = once(child, 'exit');
  const output = await text(child.stdout);
  const [code] = (await exited) as [number];
  return { code, output };
}

it('keeps every rule and reproduces the committed transcript', async () => {
  const { code, output } = await drive('--check');
  expect(output).not.toContain('FAILED');
  expect(output.match(/^ok /gm)).toHaveLength(10);
  expect(code).toBe(0);
});

it('writes a transcript of all messages of both directions, and fails on one that differs', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'book-orders-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, 'new', 'run.json');
  expect((await drive('--file', file)).code).toBe(0);
  const written = await readFile(file, 'utf8');
  expect(written).toBe(await readFile(transcript, 'utf8'));
  const { messages } = JSON.parse(written) as { readonly messages: readonly { readonly from: string }[] };
  expect(messages.map(({ from }) => from)).toEqual([1, 2, 3, 4, 5].flatMap(() => ['client', 'server']));
  await writeFile(file, written.replace('processing', 'shipped'));
  const { code, output } = await drive('--check', '--file', file);
  expect(output).toContain('FAILED the transcript');
  expect(code).toBe(1);
});

it('serves over HTTP as the identity of its environment', async () => {
  const child = spawn(process.execPath, ['--conditions=@switchyard/source', source('main.ts'), '--http', '0'], {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { ORDERS_IDENTITY: 'jonas' },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  const [url = ''] = /http:\S+/.exec(line) ?? [];
  const read = async (orderId: string): Promise<unknown> => {
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': 'tools/call',
        'mcp-name': 'get_order',
      },
      body: JSON.stringify(callOrder({ order_id: orderId })),
    });
    return response.json();
  };
  expect(await read('B-205')).toMatchObject({ result: { structuredContent: { order_id: 'B-205' } } });
  expect(await read('A-104')).toMatchObject({ result: { isError: true, structuredContent: { code: 'forbidden' } } });
});

it('asks for the orders of mira unless told otherwise', async () => {
  const child = spawn(process.execPath, ['--conditions=@switchyard/source', source('main.ts')], {
    stdio: ['pipe', 'pipe', 'ignore'],
    env: {},
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  child.stdin.end(`${JSON.stringify(callOrder({ order_id: 'A-104' }))}\n`);
  expect(await text(child.stdout)).toContain('"structuredContent":{"order_id":"A-104"');
});

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Ended, startRun } from './start-run.ts';
import { temporaryFolder } from './temporary-folder.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));

let folder: Awaited<ReturnType<typeof temporaryFolder>>;

/** The demo's own configuration, read from another folder so that it gets an audit of its own. */
beforeAll(async () => {
  const text = await readFile(join(root, 'examples/demo/switchyard.yaml'), 'utf8');
  const absolute = text
    .replaceAll('../../node_modules/', join(root, 'node_modules/'))
    .replaceAll('../book-orders/', join(root, 'examples/book-orders/'))
    .replaceAll('src/filesystem.ts', join(root, 'examples/demo/src/filesystem.ts'));
  folder = await temporaryFolder({ 'switchyard.yaml': absolute });
});

afterAll(() => folder[Symbol.asyncDispose]());

function start(...argv: readonly string[]): Promise<Ended> {
  return startRun([...argv, '--json'], { cwd: folder.path, env: process.env });
}

describe('the demo configuration', () => {
  it('lists tools of all three servers, and none that writes', async () => {
    const ended = await start('tools');
    expect(ended).toMatchObject({ exitCode: 0, stderr: '' });
    const names = (ended.json() as readonly { readonly name: string }[]).map(({ name }) => name);
    for (const name of ['book-orders__get_order', 'everything__echo', 'filesystem__read_text_file']) {
      expect(names).toContain(name);
    }
    expect(names.filter((name) => /write|edit|move|create|toggle|env/.test(name))).toEqual([]);
  });

  it.each<[readonly string[], number, object]>([
    [['everything__echo', 'message=hi'], 0, { content: [{ type: 'text', text: 'Echo: hi' }] }],
    [
      ['book-orders__get_order', 'order_id=A-104'],
      0,
      { structuredContent: { order_id: 'A-104', status: 'processing' } },
    ],
    [
      ['filesystem__read_text_file', 'path=welcome.txt'],
      0,
      { content: [{ text: expect.stringContaining('Welcome') }] },
    ],
    [
      ['filesystem__write_file', 'path=welcome.txt', 'content=changed'],
      3,
      { error: { kind: 'denied', server: 'filesystem' } },
    ],
  ])('answers call %j with exit code %i', async (args, exitCode, document) => {
    const ended = await start('call', ...args);
    expect(ended.json()).toMatchObject(document);
    expect(ended.exitCode).toBe(exitCode);
  });

  it('has one intent and one outcome in its audit for each call that ran, and one refusal for the denied one', async () => {
    expect((await start('audit', 'verify')).json()).toMatchObject({
      ok: true,
      intents: 3,
      outcomes: 3,
      refused: 1,
      unfinished: 0,
    });
  });
});

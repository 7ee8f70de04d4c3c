import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FormAsk } from '@switchyard/client';
import { describe, expect, it } from 'vitest';
import { parseAnswers } from '../../src/ask/parse-answers.ts';
import { createScriptedInput } from '../../src/ask/scripted-input.ts';
import { startRun } from '../start-run.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { untilTestEnds } from '../until-test-ends.ts';
import { serveShop } from './shop.ts';

const content = { size: 'l', mail: 'a@b.example' };
const accepted = { action: 'accept', content };

async function call(tool: string, answers: object | string, ...more: readonly string[]) {
  const given = typeof answers === 'string' ? answers : JSON.stringify(answers);
  return startRun(['call', tool, '--url', await serveShop(), '--json', '--answers', given, ...more]);
}

function textOf(ended: { json(): unknown }): unknown {
  return (ended.json() as { readonly content: readonly { readonly text: string }[] }).content[0]?.text;
}

describe('--answers', () => {
  it.each([['order'], ['*']])('answers a form under the key %s, and standard output is one document', async (key) => {
    const ended = await call('order', { [key]: accepted });
    expect(ended).toMatchObject({ exitCode: 0, stderr: '' });
    expect(JSON.parse(String(textOf(ended)))).toMatchObject(accepted);
  });

  it('prefers the key of a question to *', async () => {
    const ended = await call('agree', { '*': { action: 'decline' }, second: { action: 'cancel' } });
    expect(textOf(ended)).toBe('decline cancel');
  });

  it('is read from a file of the current folder', async () => {
    const folder = await untilTestEnds(temporaryFolder());
    await writeFile(join(folder.path, 'answers.json'), JSON.stringify({ order: accepted }));
    const argv = ['call', 'order', '--url', await serveShop(), '--answers', '@answers.json'];
    expect((await startRun(argv, { cwd: folder.path })).exitCode).toBe(0);
    const missing = await startRun([...argv.slice(0, -1), '@nowhere.json'], { cwd: folder.path });
    expect(missing).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('nowhere.json cannot be read') });
  });

  it('of a file is what check takes, too', async () => {
    const folder = await untilTestEnds(temporaryFolder({ 'answers.json': JSON.stringify({ order: accepted }) }));
    const argv = ['check', await serveShop(), '--tool', 'order', '--only', '6', '--answers', '@answers.json'];
    expect(await startRun(argv, { cwd: folder.path })).toMatchObject({ exitCode: 0, stderr: '' });
  });

  it.each([[['tools']], [['resources']]])('belongs to what a server may ask at, and not to %j', async (argv) => {
    const ended = await startRun([...argv, '--url', 'http://127.0.0.1:9/mcp', '--answers', '{}']);
    expect(ended).toMatchObject({ exitCode: 2, stderr: expect.stringMatching(/Unknown option '--answers'/) });
  });

  it.each([
    ['{"order":1}', /the answer to "order" must be an object/],
    ['[]', /--answers must be a JSON object/],
    ['{"a":{"action":"decline"},"\\u0061":{"action":"accept"}}', /--answers: the key "a" is given twice/],
    ['{"a":{"action":"accept","content":{"x":"a","y":":","x":1}}}', /--answers: the key "x" is given twice/],
  ])('of %s is a usage error before the server is reached', async (given, message) => {
    const ended = await startRun(['call', 'order', '--url', 'http://127.0.0.1:9/mcp', '--answers', given]);
    expect(ended).toMatchObject({ exitCode: 2, stderr: expect.stringMatching(message) });
  });

  it('may have the same key in several objects, and in texts', async () => {
    const texts = { size: 'l', mail: '{"size":"size","size":1}@b.example' };
    const answers = { '*': { action: 'accept', content: texts }, order: accepted };
    expect(await parseAnswers(JSON.stringify(answers), '/nowhere')).toEqual(answers);
  });

  it.each([
    ['list\u200b', '"list\\u200b"'],
    [' list', '" list"'],
    ['k'.repeat(250), `"${'k'.repeat(200)}…"`],
  ])('are no answers to a key that only looks like theirs: %j', async (key, shown) => {
    const { handlers } = createScriptedInput({ list: accepted, ['k'.repeat(200)]: accepted });
    const ask = { key, server: 'depot' } as FormAsk;
    await expect(handlers.elicitForm?.(ask)).rejects.toMatchObject({
      message: expect.stringContaining(`under the key ${shown},`),
    });
    expect(await createScriptedInput({ [key]: accepted }).handlers.elicitForm?.(ask)).toEqual(accepted);
  });

  it('without one for a question ends the call and says its key', async () => {
    const ended = await call('order', { ordre: accepted });
    expect(ended.exitCode).toBe(2);
    expect(ended.json()).toMatchObject({
      error: { kind: 'input-refused', message: expect.stringMatching(/asks under the key "order".*"ordre"/) },
    });
  });

  it('that does not fit the form ends the call and names the field; nothing is sent', async () => {
    const ended = await call('order', { order: { action: 'accept', content: { ...content, count: 12 } } });
    expect(ended.json()).toMatchObject({
      error: { kind: 'invalid-argument', message: expect.stringMatching(/count/) },
    });
  });

  it('that nothing asked for is warned of', async () => {
    const ended = await call('order', { order: accepted, later: accepted });
    expect(ended).toMatchObject({ exitCode: 0 });
    expect(ended.stderr).toMatch(/--answers: no question had the key "later"/);
  });

  it('consents to a page by its own key alone', async () => {
    expect(textOf(await call('pay', { page: { action: 'accept' } }))).toBe('accept');
    expect(textOf(await call('pay', { '*': { action: 'decline' } }))).toBe('decline');
    expect((await call('pay', { '*': { action: 'accept' } })).json()).toMatchObject({
      error: { kind: 'input-refused', message: expect.stringMatching(/\{"page":\{"action":"accept"\}\}/) },
    });
  });

  it('may hold what a model answers; without that the server is told that there is none', async () => {
    const answer = { role: 'assistant', content: { type: 'text', text: 'blue' }, model: 'none' };
    expect(textOf(await call('think', { '*': answer }))).toBe('blue');
    expect((await call('think', { '*': accepted })).json()).toMatchObject({
      error: { code: -32021, message: expect.stringMatching(/There is no model here; --answers may hold/) },
    });
  });

  it('and --root are refused for the servers of a configuration', async () => {
    for (const flags of [
      ['--answers', '{}'],
      ['--root', '/'],
    ]) {
      const ended = await startRun(['call', 'a__b', ...flags]);
      expect(ended).toMatchObject({
        exitCode: 2,
        stderr: expect.stringMatching(/are for one server.*--url or --server/),
      });
    }
  });
});

describe('--root', () => {
  it('tells the server of folders, those of the current folder included', async () => {
    const folder = await untilTestEnds(temporaryFolder());
    await mkdir(join(folder.path, 'work'));
    const argv = ['call', 'folders', '--url', await serveShop(), '--root', 'work', '--root', folder.path];
    const ended = await startRun(argv, { cwd: folder.path });
    expect(ended).toMatchObject({ exitCode: 0 });
    expect(ended.stdout).toMatch(/file:\/\/\S*\/work".*"name":"work"/);
  });

  it('of what is no folder is a usage error', async () => {
    const ended = await startRun(['call', 'folders', '--url', 'http://127.0.0.1:9/mcp', '--root', '/nowhere/at/all']);
    expect(ended).toMatchObject({ exitCode: 2, stderr: expect.stringMatching(/"\/nowhere\/at\/all" is no folder/) });
  });

  it('is named where a server wants to know folders', async () => {
    const { stderr } = await startRun(['call', 'folders', '--url', await serveShop()]);
    expect(stderr).toMatch(/--root FOLDER/);
  });
});

import { createServer, silentLogger } from '@switchyard/server';
import { serveHttp } from '@switchyard/server/node';
import { describe, expect, it } from 'vitest';
import { startRun } from './start-run.ts';
import { temporaryFolder } from './temporary-folder.ts';
import { untilTestEnds } from './until-test-ends.ts';

async function serveAsking(): Promise<string> {
  const server = createServer({ name: 'shop', version: '1.0.0' }, { logger: silentLogger });
  const schema = { type: 'object', properties: { size: { type: 'string' } }, required: ['size'] };
  server.tool('order', { description: 'Orders' }, async (_args, ctx) => {
    const { action } = await ctx.elicit('size', { message: 'Which size?', schema });
    return action;
  });
  server.prompt('greet', { description: 'Greets' }, async (_args, ctx) => {
    const { action } = await ctx.elicit('size', { message: 'Which size?', schema });
    return action;
  });
  const { url } = await untilTestEnds(serveHttp(server, { port: 0 }));
  return url;
}

describe('a server that asks', () => {
  it.each([
    ['call', 'order'],
    ['prompt', 'greet'],
  ])('is not answered by %s off a terminal, which says how to answer', async (verb, name) => {
    const ended = await startRun([verb, name, '--url', await serveAsking(), '--json']);
    expect(ended).toMatchObject({ exitCode: 2 });
    const { error } = ended.json() as { readonly error: { readonly code: number; readonly message: string } };
    expect(error.code).toBe(-32021);
    expect(error.message).toMatch(/run this on a terminal.*or give --answers/);
  });

  it('is not answered by a call through a configuration either', async () => {
    const text = `mcpServers: { shop: { url: ${await serveAsking()} } }\nagents: { reader: { allow: ['*'] } }\n`;
    const folder = await untilTestEnds(temporaryFolder({ 'switchyard.yaml': text }));
    const { exitCode, stderr } = await startRun(['call', 'shop__order'], { cwd: folder.path });
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/servers of a configuration ask nobody.*--url or --server/);
  });

  it.each([
    ['size', 0, /^$/],
    ['sise', 2, /--answers: no question has the key "sise"; asked for was "size"\./],
  ])('is answered by check under the key %s: exit code %i', async (key, exitCode, said) => {
    const answers = JSON.stringify({ [key]: { action: 'accept', content: { size: 'XL' } } });
    const argv = ['check', await serveAsking(), '--tool', 'order', '--answers', answers, '--only', '6'];
    const ended = await startRun(argv);
    expect(ended).toMatchObject({ exitCode, stderr: expect.stringMatching(said) });
    expect(ended.stdout).toContain('1 passed, 0 failed, 0 skipped');
  });

  it('is said to have asked for nothing where it did not', async () => {
    const answers = JSON.stringify({ size: { action: 'decline' } });
    const ended = await startRun(['check', await serveAsking(), '--answers', answers, '--only', '1']);
    expect(ended).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('nothing asked for input') });
  });
});

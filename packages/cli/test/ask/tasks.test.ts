import { describe, expect, it } from 'vitest';
import { createServer, silentLogger } from '@switchyard/server';
import { serveHttp } from '@switchyard/server/node';
import { startRun } from '../start-run.ts';
import { untilTestEnds } from '../until-test-ends.ts';
import { serveShop } from './shop.ts';
import { ENTER, sitAt } from './typing-person.ts';

describe('a task that a server makes of a call', () => {
  it('is waited for, shows how it stands, and may ask the person', async () => {
    const sat = await sitAt(
      ['call', 'report', '--url', await serveShop()],
      [
        [/Its title\?[\s\S]*title \(required, text\)/, `Trains${ENTER}`],
        [/Send it to/, `a${ENTER}`],
      ],
    );
    expect(sat).toMatchObject({ exitCode: 0, left: 0 });
    expect(JSON.parse(sat.stdout)).toEqual({ action: 'accept', content: { title: 'Trains' } });
    expect(sat.shown).toMatch(/report: working, Begun/);
  });

  it('is answered by --answers', async () => {
    const answers = JSON.stringify({ order: { action: 'decline' } });
    const ended = await startRun(['call', 'report', '--url', await serveShop(), '--answers', answers]);
    expect(ended).toMatchObject({ exitCode: 0, stdout: '{"action":"decline"}\n' });
  });

  it('is cancelled when the command is interrupted', async () => {
    const begun = Promise.withResolvers<void>();
    const cancelled = Promise.withResolvers<void>();
    const server = createServer({ name: 'slow', version: '1.0.0' }, { logger: silentLogger, tasks: {} });
    server.tool('sleep', { description: 'Never ends', task: 'required' }, async (_args, ctx) => {
      const task = await ctx.task({ statusMessage: 'Asleep' });
      task.signal.addEventListener('abort', () => cancelled.resolve(), { once: true });
      begun.resolve();
      await cancelled.promise;
      return 'woken';
    });
    const { url } = await untilTestEnds(serveHttp(server, { port: 0 }));
    const interrupt = new AbortController();
    const running = startRun(['call', 'sleep', '--url', url], {
      signal: interrupt.signal,
      isTerminal: true,
      onStderr: (text) => {
        if (text.includes('sleep: working, Asleep')) interrupt.abort(new Error('Ctrl-C'));
      },
    });
    await begun.promise;
    expect(await running).toMatchObject({ exitCode: 130, stdout: '' });
    await cancelled.promise;
  });
});

import { createServer, legacyClients, type LegacyOptions, type Server, silentLogger } from '@switchyard/server';
import { createHangUps } from './hang-ups.ts';

const names = ['Ada', 'Adam', 'Bob'];
const sum = {
  type: 'object',
  properties: { a: { type: 'number' }, b: { type: 'number' } },
  required: ['a', 'b'],
} as const;
const nameForm = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } as const;

/** Creates a server of our own that has every feature of the matrix. */
export function createMatrixServer(): Server {
  const hangUps = createHangUps();
  const server = createServer({ name: 'matrix', version: '1.0.0' }, { logger: silentLogger });
  server.tool('add', { description: 'Adds two numbers', input: sum }, ({ a, b }) => String(Number(a) + Number(b)));
  server.tool('steps', { description: 'Takes three steps' }, (_args, ctx) => {
    for (const step of [1, 2, 3]) ctx.progress(step, 3);
    return 'three steps';
  });
  server.tool('hang', { description: 'Waits until it is cancelled' }, (_args, ctx) => {
    ctx.progress(1);
    return hangUps.hang(ctx.signal);
  });
  server.tool('heard', { description: 'Waits until a cancellation was heard of' }, () => hangUps.heard());
  server.tool('ask', { description: 'Asks for a name' }, async (_args, ctx) => {
    const answer = await ctx.elicit('name', { message: 'Whom shall I greet?', schema: nameForm });
    return answer.action === 'accept' ? `Hello, ${String(answer.content['name'])}!` : answer.action;
  });
  server.tool('sample', { description: 'Asks a model' }, async (_args, ctx) => {
    const messages = [{ role: 'user' as const, content: { type: 'text' as const, text: 'Where?' } }];
    return JSON.stringify((await ctx.sample('where', { messages, maxTokens: 10 })).content);
  });
  server.tool('roots', { description: 'Asks for the roots' }, async (_args, ctx) =>
    (await ctx.roots('roots')).map(({ uri }) => uri).join(),
  );
  server.tool('log', { description: 'Logs' }, (_args, ctx) => {
    ctx.log('info', 'this');
    ctx.log('debug', 'nothing');
    ctx.log('warning', { that: 1 });
    return 'logged';
  });
  server.tool('touch', { description: 'Updates the note' }, () => {
    server.resourceUpdated('note://welcome');
    return 'touched';
  });
  server.resource('note://welcome', { name: 'welcome', mimeType: 'text/plain' }, () => 'Welcome!');
  server.resourceTemplate('note://{name}/today', { name: 'today' }, ({ name }) => `Today for ${String(name)}`);
  server.prompt(
    'greet',
    {
      description: 'Greets somebody',
      args: { name: { complete: (value: string) => names.filter((name) => name.startsWith(value)) } },
    },
    ({ name }) => `Greet ${name}.`,
  );
  return server;
}

/** Answers who is let in besides modern clients: those of one legacy revision, or nobody else. */
export function onlyRevision(revision: string, options: LegacyOptions = {}): ReturnType<typeof legacyClients> | false {
  if (revision === '2026-07-28') return false;
  return legacyClients({ ...options, revisions: [revision] as NonNullable<LegacyOptions['revisions']> });
}

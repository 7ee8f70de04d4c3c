import { createServer, type Server, type ServerOptions, silentLogger } from '@switchyard/server';

const named = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } as const;

/** What the handlers of {@link createLegacyServer} left behind. */
export interface Traces {
  readonly cleaned: string[];
  readonly reasons: string[];
  runs: number;
}

/** A server whose handlers do everything that an old client can see of them. */
export function createLegacyServer(options: ServerOptions = {}): { readonly server: Server; readonly traces: Traces } {
  const traces: Traces = { cleaned: [], reasons: [], runs: 0 };
  const server = createServer(
    { name: 'old', version: '1.0.0', instructions: 'Be kind' },
    { logger: silentLogger, ...options },
  )
    .tool('greet', { description: 'Greets', input: named }, ({ name }) => `Hello, ${String(name)}!`)
    .tool('count', { description: 'Reports progress' }, (_args, ctx) => {
      for (const done of [0, 5, 5, 3, 5.5, 10]) ctx.progress(done, 10);
      return 'counted';
    })
    .tool('log', { description: 'Logs at two levels' }, (_args, ctx) => {
      ctx.log('debug', 'small');
      ctx.log('error', 'large');
      return 'logged';
    })
    .tool('ask', { description: 'Asks for a name' }, async (_args, ctx) => {
      traces.runs += 1;
      try {
        const answer = await ctx.elicit('name', { message: 'Who are you?', schema: named });
        return answer.action === 'accept' ? `Hello, ${String(answer.content['name'])}!` : answer.action;
      } finally {
        traces.cleaned.push('ask');
      }
    })
    .tool('sample', { description: 'Asks the model' }, async (_args, ctx) => {
      const { content } = await ctx.sample('word', {
        messages: [{ role: 'user', content: { type: 'text', text: 'one word' } }],
        maxTokens: 5,
      });
      return JSON.stringify(content);
    })
    .tool('roots', { description: 'Asks for folders' }, async (_args, ctx) => {
      const roots = await ctx.roots('folders');
      return roots.map(({ uri }) => uri).join(' ');
    })
    .tool('wait', { description: 'Runs until it is cancelled' }, async (_args, { signal }) => {
      traces.runs += 1;
      if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve));
      traces.reasons.push((signal.reason as Error).message);
      return 'released';
    })
    .tool('list', { description: 'A structured list', output: { type: 'array', items: { type: 'number' } } }, () => [
      1, 2,
    ])
    .tool('who', { description: 'Says what it knows of its caller' }, (_args, ctx) => ({
      client: ctx.client ?? null,
      capabilities: ctx.capabilities,
      subject: ctx.principal?.subject ?? null,
    }))
    .resource('mem://one', { name: 'one' }, () => 'one')
    .prompt('greeting', { args: { name: 'Who' } }, ({ name }) => `Greet ${name}`);
  return { server, traces };
}

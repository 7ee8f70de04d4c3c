import { createServer, type RequestContext, silentLogger, ToolError } from '@switchyard/server';
import { serveHttp } from '@switchyard/server/node';

/** A server over HTTP for the verbs to reach. It starts no process. */
export async function serveOrders() {
  const id = { type: 'object', properties: { id: { type: 'string' } }, required: ['id'], additionalProperties: false };
  const typed = {
    type: 'object',
    properties: {
      limit: { type: 'integer' },
      big: { type: 'integer' },
      tags: { type: 'array', items: { type: 'string' } },
    },
  };
  const started = Promise.withResolvers<void>();
  const cancelled = Promise.withResolvers<void>();
  const server = createServer({ name: 'orders', version: '1' }, { logger: silentLogger })
    .tool('get', { description: 'Gets an order', input: id }, (args) => {
      if (args['id'] === 'B-205') throw new ToolError('The order belongs to somebody else.');
      return { id: args['id'], status: 'open' };
    })
    .tool('cancel', { description: 'Cancels an order', input: id }, () => 'cancelled')
    .tool('pay', { description: 'Pays an order' }, () => 'paid')
    .tool('types', { description: 'Answers its arguments', input: typed }, (args) => JSON.stringify(args, undefined, 1))
    .tool('slow', { description: 'Reports progress' }, (_args: unknown, ctx: RequestContext) => {
      ctx.progress(1, 4, 'a quarter\u001b[2J');
      return 'done';
    })
    .tool('hang', { description: 'Never answers' }, (_args: unknown, ctx: RequestContext) => {
      ctx.signal.addEventListener('abort', () => cancelled.resolve(), { once: true });
      started.resolve();
      return new Promise<string>(() => undefined);
    })
    .resource('policy://refunds', { name: 'refunds' }, () => 'Refunds within 30 days.')
    .prompt('review', { description: 'Reviews', args: { file: { required: true } } }, ({ file }) => `Review ${file}`);
  const running = await serveHttp(server, { port: 0 });
  return {
    url: running.url,
    /** Settles when `hang` runs, and when it was cancelled. */
    started: started.promise,
    cancelled: cancelled.promise,
    [Symbol.asyncDispose]: () => running.close({ graceMs: 0 }),
  };
}

/** A configuration over that server with agents that may do much, little and nothing. */
export function ordersConfiguration(url: string): string {
  return `
mcpServers:
  orders:
    url: ${url}
agents:
  reader:
    allow: [orders__*, 'resource:orders:*', 'prompt:orders__*']
    ask: [orders__pay]
    deny: [orders__cancel]
  stranger: {}
gateway:
  anonymousAgent: reader
`;
}

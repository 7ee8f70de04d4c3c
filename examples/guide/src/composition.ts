import { createServer, type Interceptor, ProtocolError } from '@switchyard/server';

import { shop } from './shop.ts';

/** How often each method was asked for, and how long it took in all. */
export const timings = new Map<string, { readonly count: number; readonly ms: number }>();

const timed: Interceptor = async (request, next) => {
  const started = performance.now();
  try {
    return await next(request);
  } finally {
    const { count, ms } = timings.get(request.method) ?? { count: 0, ms: 0 };
    timings.set(request.method, { count: count + 1, ms: ms + performance.now() - started });
  }
};

const isForAdmins = (tool: string): boolean => tool.endsWith('_admin');

/** Hides tools from whoever may not call them: they are neither listed nor run. */
const adminsOnly: Interceptor = async (request, next) => {
  if (request.context.principal?.scopes?.includes('admin') === true) return next(request);
  if (request.method === 'tools/call' && isForAdmins(request.params.name))
    throw new ProtocolError('invalidParams', `Unknown tool: ${request.params.name}`);
  if (request.method !== 'tools/list') return next(request);
  const page = await next(request);
  return { ...page, tools: page.tools.filter(({ name }) => !isForAdmins(name)) };
};

/** The shop under one roof with tools of its own: `close_admin`, `shop_check_stock`, and so on. */
export const mall = createServer({ name: 'mall', version: '1.0.0' }).use(timed).use(adminsOnly).mount('shop', shop);

mall.tool('close_admin', { description: 'Closes the mall for today' }, () => 'closed');

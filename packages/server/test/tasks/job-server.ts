import { createServer, type RequestContext, type Server, type ServerOptions, silentLogger } from '@switchyard/server';
import { z } from 'zod';

/** A question with a yes or no. */
export const confirm = { message: 'Go on?', schema: z.object({ ok: z.boolean() }) };

/** A server whose one tool, `job`, does the work. */
export function createJobServer(
  work: (ctx: RequestContext) => Promise<unknown>,
  options: ServerOptions = {},
  task: 'optional' | 'required' = 'optional',
): Server {
  return createServer({ name: 'jobs', version: '1.0.0' }, { logger: silentLogger, ...options }).tool(
    'job',
    { task },
    (_args, ctx) => work(ctx) as Promise<string>,
  );
}

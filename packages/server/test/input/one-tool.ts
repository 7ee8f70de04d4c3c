import { createServer, type RequestContext, type Server, type ServerOptions, silentLogger } from '@switchyard/server';
import { createMemoryRecordStore } from '@switchyard/stores';
import { z } from 'zod';

/** A question that takes any name. */
export const question = { message: 'Name?', schema: z.object({ name: z.string() }) };

/** Creates a server with the tool `t`, which answers what `run` comes to as JSON. */
export function createOneTool(run: (ctx: RequestContext) => PromiseLike<unknown>, options: ServerOptions = {}): Server {
  const records = createMemoryRecordStore({ epochNow: () => Date.now() });
  return createServer({ name: 'one', version: '1.0.0' }, { logger: silentLogger, records, ...options }).tool(
    't',
    {},
    async (_args, ctx) => JSON.stringify(await run(ctx)),
  );
}

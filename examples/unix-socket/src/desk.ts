import { createServer, type Server, silentLogger, ToolError } from '@switchyard/server';
import * as z from 'zod';

/** Creates a server that has a little of everything: results, failures, progress, and work that can be cancelled. */
export function createDesk(): Server {
  let cancelled = 0;
  const desk = createServer({ name: 'desk', version: '1.0.0' }, { logger: silentLogger });
  desk.tool('add', { input: z.object({ a: z.number(), b: z.number() }) }, ({ a, b }) => a + b);
  desk.tool('fail', {}, () => {
    throw new ToolError('the drawer is stuck');
  });
  desk.tool('count', { input: z.object({ to: z.number() }) }, ({ to }, ctx) => {
    for (let at = 1; at <= to; at += 1) ctx.progress(at, to, `at ${at}`);
    return `counted to ${to}`;
  });
  desk.tool('wait', {}, (_args, { signal }) => {
    const aborted = Promise.withResolvers<string>();
    signal.addEventListener('abort', () => {
      cancelled += 1;
      aborted.resolve('nobody waits any more');
    });
    return aborted.promise;
  });
  desk.tool('cancelled', {}, () => cancelled);
  return desk;
}

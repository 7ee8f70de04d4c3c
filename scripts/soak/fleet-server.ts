import process from 'node:process';

import { createServer, silentLogger } from '@switchyard/server';
import { serveHttp } from '@switchyard/server/node';
import { openSqliteRecordStore } from '@switchyard/stores/sqlite';

/** What an instance tells its parent about itself. */
export interface FleetReport {
  readonly url: string;
  /** How many rounds reached a handler here, in each tool. */
  readonly runs: { readonly [tool: string]: number };
}

const form = (member: string) => ({
  message: `What is the ${member}?`,
  schema: { type: 'object', properties: { [member]: { type: 'string' } }, required: [member] },
});

/**
 * One instance of a server whose requests may go on at any other. Run by itself, it reports to its parent on every
 * message.
 */
if (import.meta.main && process.send !== undefined) {
  const [path = '', key = ''] = process.argv.slice(2);
  const runs: Record<string, number> = { rounds: 0, once: 0 };
  const records = await openSqliteRecordStore({ path });
  const server = createServer(
    { name: 'fleet', version: '1.0.0' },
    { logger: silentLogger, records, state: { keys: [key] } },
  );
  server.tool('rounds', { input: { type: 'object', properties: { n: { type: 'integer' } } } }, async (_args, ctx) => {
    runs['rounds'] = (runs['rounds'] ?? 0) + 1;
    const processes = [await ctx.step('first', () => process.pid)];
    const topic = await ctx.elicit('topic', form('topic'));
    processes.push(await ctx.step('second', () => process.pid));
    const goal = await ctx.elicit('goal', form('goal'));
    processes.push(await ctx.step('third', () => process.pid));
    const end = await ctx.elicit('end', form('end'));
    processes.push(process.pid);
    return JSON.stringify({ processes, answers: [topic, goal, end] });
  });
  server.tool('once', { singleUse: true }, async (_args, ctx) => {
    await ctx.elicit('who', form('who'));
    runs['once'] = (runs['once'] ?? 0) + 1;
    return String(process.pid);
  });
  const running = await serveHttp(server, {
    port: 0,
    authenticate: (head) => ({ subject: head.header('x-caller') ?? 'nobody' }),
    rateLimit: false,
  });
  process.on('message', () => process.send?.({ url: running.url, runs } satisfies FleetReport));
  process.on('disconnect', () => process.exit(0));
  process.send({ url: running.url, runs } satisfies FleetReport);
}

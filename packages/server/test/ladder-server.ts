import { createServer, type Server, silentLogger } from '@switchyard/server';
import * as z from 'zod';

/** A server with one of each kind that a rule of headers or params concerns, and how often its tools ran. */
export function createLadderServer(): { server: Server; runs: () => number } {
  let runs = 0;
  const server = createServer({ name: 'ladder', version: '1.0.0' }, { logger: silentLogger });
  server
    .tool('sum', { input: z.object({ a: z.number() }) }, ({ a }) => {
      runs += 1;
      return a;
    })
    .tool('sampled', { requires: ['sampling'] }, () => {
      runs += 1;
      return 'ran';
    })
    .tool(
      'city',
      { input: { type: 'object', properties: { city: { type: 'string', 'x-mcp-header': 'City' } } } },
      ({ city }) => {
        runs += 1;
        return String(city);
      },
    )
    .tool(
      'typed',
      {
        input: {
          type: 'object',
          properties: {
            n: { type: 'integer', 'x-mcp-header': 'N' },
            ok: { type: 'boolean', 'x-mcp-header': 'Ok' },
            deep: { type: 'object', properties: { tag: { type: ['string', 'null'], 'x-mcp-header': 'Tag' } } },
          },
        },
      },
      (args) => {
        runs += 1;
        return args;
      },
    )
    .prompt('hello', { args: { who: 'Name' } }, ({ who }) => `Hello ${who}`)
    .resource('mem://here', { name: 'here' }, () => 'here');
  return { server, runs: () => runs };
}

import { AsyncLocalStorage } from 'node:async_hooks';

import { createServer, type RequestContext } from '@switchyard/server';
import { describe, expect, it } from 'vitest';

import { send } from './input/input-route.ts';
import { createRecorder } from './recorder.ts';

const tenants = new AsyncLocalStorage<string>();

/** Calls a tool as a listener does that keeps for each request who sends it. */
function callAs(tenant: string, server: ReturnType<typeof createServer>, signal?: AbortSignal) {
  return tenants.run(tenant, () => send(server, 't', {}, signal === undefined ? {} : { signal }));
}

/** A server whose tool never ends, and what its signal and its releases see of the tenant. */
function createSlow(timeoutMs: number) {
  const seen: string[] = [];
  const see = (what: string) => (): unknown => seen.push(`${what} of ${tenants.getStore() ?? 'nobody'}`);
  const logger = createRecorder();
  const server = createServer({ name: 'slow', version: '1.0.0' }, { logger, timeoutMs }).tool(
    't',
    {},
    (_args, ctx: RequestContext) => {
      ctx.signal.addEventListener('abort', see(`abort of ${tenants.getStore() ?? 'nobody'}`));
      ctx.onRoundEnd(see(`release of ${tenants.getStore() ?? 'nobody'}`));
      return new Promise<string>((_resolve, reject) =>
        ctx.signal.addEventListener('abort', () => reject(ctx.signal.reason as Error)),
      );
    },
  );
  return { server, seen, logger };
}

const itsOwn = ['abort of A of A', 'abort of B of B', 'release of A of A', 'release of B of B'];

describe('what an author keeps in the async context of a request', () => {
  it('is its own where its time is over: one timer ends them all', async () => {
    const { server, seen } = createSlow(20);
    await Promise.all([callAs('A', server), callAs('B', server)]);
    expect(seen.toSorted()).toEqual(itsOwn);
  });

  it('is its own where somebody else cancels it, and such an end is no failure', async () => {
    const { server, seen, logger } = createSlow(10_000);
    const aborts = new AbortController();
    const calls = [callAs('A', server, aborts.signal), callAs('B', server, aborts.signal)];
    tenants.run('C', () => aborts.abort(new Error('gone')));
    await Promise.all(calls);
    expect(seen.toSorted()).toEqual(itsOwn);
    expect(logger.lines.filter(({ level }) => level === 'error')).toEqual([]);
  });
});

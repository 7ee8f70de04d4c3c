import { createServer, type RequestContext, silentLogger } from '@switchyard/server';
import { createMemoryEventBus, createMemoryRecordStore, type EventBus } from '@switchyard/stores';
import { describe, expect, it, onTestFinished } from 'vitest';

import { storeWith } from '../effects/store-with.ts';
import { nextTurn } from '../turns.ts';
import { confirm, createJobServer } from './job-server.ts';
import { begin, call, gate, until } from './task-route.ts';

/** A store that takes a new record only once it may. */
function createSlowStore() {
  const records = createMemoryRecordStore({ epochNow: () => Date.now() });
  const { open, opened } = gate();
  const asked = gate();
  const slow = storeWith(records, {
    put: async (key, value, options) => {
      if (options.expected === undefined) {
        asked.open();
        await opened;
      }
      return records.put(key, value, options);
    },
  });
  return { records: slow, open, asked: asked.opened };
}

describe('a task that is being stored', () => {
  it('goes on though the bus says meanwhile that anything may have changed', async () => {
    const bus = createMemoryEventBus();
    onTestFinished(() => bus.close());
    let gap: (() => void) | undefined;
    const gappy: EventBus = {
      ...bus,
      subscribe: (topic, subscriber) => {
        gap = () => void subscriber.onGap();
        return bus.subscribe(topic, subscriber);
      },
    };
    const { records, open, asked } = createSlowStore();
    const aborted: boolean[] = [];
    const server = createJobServer(
      async (ctx) => {
        const { signal } = await ctx.task();
        await nextTurn();
        aborted.push(signal.aborted);
        return 'done';
      },
      { records, bus: gappy },
    );
    const beginning = begin(server, 'job');
    await asked;
    gap?.();
    await nextTurn();
    open();
    expect((await until(server, await beginning, 'completed')).result?.content[0]?.text).toBe('done');
    expect(aborted).toEqual([false]);
  });

  it('does not hold its call past its time, whatever its handler asks meanwhile', async () => {
    const { records } = createSlowStore();
    const server = createJobServer((ctx) => Promise.all([ctx.task(), ctx.elicit('ok', confirm)]), {
      records,
      timeoutMs: 20,
    });
    expect(await call(server, 'job')).toMatchObject({ resultType: 'complete', isError: true });
  });
});

describe('a task that begins when its call has its answer', () => {
  const work = async (ctx: RequestContext, aborted: (isAborted: boolean) => void): Promise<string> => {
    const { signal } = await ctx.task();
    aborted(signal.aborted);
    return 'unused';
  };

  it('of an interceptor, is cancelled, and its handler is told', async () => {
    const { records, open } = createSlowStore();
    const { open: tell, opened: told } = gate<boolean>();
    const server = createServer({ name: 'jobs', version: '1.0.0' }, { logger: silentLogger, records })
      .use((request, next) => {
        void next(request);
        return { content: [] };
      })
      .tool('job', { task: 'optional' }, (_args, ctx) => work(ctx, tell));
    expect(await call(server, 'job')).toMatchObject({ content: [] });
    open();
    expect(await told).toBe(true);
  });

  it('of its handler, is cancelled, and what is left of that is told', async () => {
    const { records, open } = createSlowStore();
    const { open: tell, opened: told } = gate<boolean>();
    const server = createJobServer(
      async (ctx) => {
        void work(ctx, tell);
        return 'at once';
      },
      { records },
    );
    expect(await call(server, 'job')).toMatchObject({ content: [{ text: 'at once' }] });
    open();
    expect(await told).toBe(true);
  });
});

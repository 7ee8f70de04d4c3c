import { loggingLevels, metaKeys } from '@switchyard/protocol';
import { createServer, type RequestContext, type Server, silentLogger } from '@switchyard/server';
import { describe, expect, it } from 'vitest';

import { openMemory } from './memory-route.ts';
import { metaOf } from './wire.ts';

function createRunner(run: (context: RequestContext) => unknown): Server {
  const server = createServer({ name: 'runner', version: '1.0.0' }, { logger: silentLogger });
  return server.tool('run', {}, async (_, context) => {
    await run(context);
    return 'done';
  });
}

const reported = (messages: readonly { readonly params?: { readonly [key: string]: unknown } }[]): unknown[] =>
  messages.map(({ params }) => params?.['progress']);

describe('progress', () => {
  it('[progress-01] goes to nobody who did not ask', async () => {
    const memory = openMemory(createRunner((context) => context.progress(1, 2)));
    await memory.call('run');
    expect(memory.notifications).toEqual([]);
  });

  it.each([['007'], [0], [''], [-1]])(
    '[PROG-04] [progress-01] echoes the token %j with its type',
    async (progressToken) => {
      const memory = openMemory(createRunner((context) => context.progress(1, 2)));
      await memory.call('run', {}, metaOf({ progressToken }));
      expect(memory.notifications).toEqual([
        { jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken, progress: 1, total: 2 } },
      ]);
    },
  );

  it('[PROG-05] [progress-03] strictly increases: equal and falling values are dropped', async () => {
    const memory = openMemory(
      createRunner((context) => {
        for (const done of [0, 5, 5, 3, 5.5, 10, 10, NaN, Infinity, -Infinity]) context.progress(done);
      }),
    );
    await memory.call('run', {}, metaOf({ progressToken: 1 }));
    expect(reported(memory.notifications)).toEqual([0, 5, 5.5, 10]);
  });

  it('leaves out a message that is no text, as a log message leaves out such a name', async () => {
    const memory = openMemory(
      createRunner((context) => {
        for (const [index, junk] of [5, null, { a: 1 }, 1n].entries()) context.progress(index, 9, junk as never);
        context.log('info', 'x', 7 as never);
      }),
    );
    await memory.call('run', {}, metaOf({ progressToken: 1, [metaKeys.logLevel]: 'info' }));
    expect(memory.notifications.map(({ params }) => params)).toStrictEqual([
      ...[0, 1, 2, 3].map((progress) => ({ progressToken: 1, progress, total: 9 })),
      { level: 'info', data: 'x' },
    ]);
  });

  it('[PROG-06] may be fractional or negative, and leaves a total out that is no number', async () => {
    const memory = openMemory(
      createRunner((context) => {
        context.progress(-0.5, 1.5);
        context.progress(0.25, NaN);
        context.progress(0.5, Infinity, 'half');
      }),
    );
    await memory.call('run', {}, metaOf({ progressToken: 1 }));
    expect(memory.notifications.map(({ params }) => params)).toStrictEqual([
      { progressToken: 1, progress: -0.5, total: 1.5 },
      { progressToken: 1, progress: 0.25 },
      { progressToken: 1, progress: 0.5, message: 'half' },
    ]);
  });

  it('[PROG-08] stops with the response', async () => {
    let kept: RequestContext | undefined;
    const memory = openMemory(
      createRunner((context) => {
        kept = context;
        context.progress(1);
      }),
    );
    await memory.call('run', {}, metaOf({ progressToken: 1, [metaKeys.logLevel]: 'debug' }));
    kept?.progress(2);
    kept?.log('emergency', 'late');
    expect(reported(memory.notifications)).toEqual([1]);
  });

  it('[PROG-08] stops with a failure, too', async () => {
    let kept: RequestContext | undefined;
    const memory = openMemory(
      createRunner((context) => {
        kept = context;
        throw new Error('no');
      }),
    );
    await memory.call('run', {}, metaOf({ progressToken: 1 }));
    kept?.progress(1);
    expect(memory.notifications).toEqual([]);
  });

  it('[STDIO-12] stops when the caller cancels', async () => {
    const caller = new AbortController();
    const memory = openMemory(
      createRunner((context) => {
        context.progress(1);
        caller.abort();
        context.progress(2);
      }),
      { signal: caller.signal },
    );
    await memory.send({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'run', _meta: metaOf({ progressToken: 1 }) },
    });
    expect(reported(memory.notifications)).toEqual([1]);
  });

  it('[PROG-09] belongs to one request: concurrent ones with the same token count apart', async () => {
    const memory = openMemory(createRunner((context) => context.progress(1)));
    await Promise.all([1, 2, 3].map(() => memory.call('run', {}, metaOf({ progressToken: 'same' }))));
    expect(reported(memory.notifications)).toEqual([1, 1, 1]);
  });
});

describe('logging', () => {
  it('[LOG-02] trap 24: goes to nobody who did not ask, at whatever level', async () => {
    const memory = openMemory(createRunner((context) => context.log('emergency', 'fire')));
    await memory.call('run');
    expect(memory.notifications).toEqual([]);
  });

  it.each(loggingLevels.map((level, index) => [level, index] as const))(
    '[LOG-03] [LOG-06] sends what is at or above %s',
    async (minimum, index) => {
      const memory = openMemory(
        createRunner((context) => {
          for (const level of loggingLevels) context.log(level, { level }, 'orders');
        }),
      );
      await memory.call('run', {}, metaOf({ [metaKeys.logLevel]: minimum }));
      expect(memory.notifications).toEqual(
        loggingLevels.slice(index).map((level) => ({
          jsonrpc: '2.0',
          method: 'notifications/message',
          params: { level, data: { level }, logger: 'orders' },
        })),
      );
    },
  );

  it.each([[null], [0], [''], [[1]], [{ a: 1 }]])('carries the data %j', async (data) => {
    const memory = openMemory(createRunner((context) => context.log('info', data)));
    await memory.call('run', {}, metaOf({ [metaKeys.logLevel]: 'info' }));
    expect(memory.notifications[0]?.params).toStrictEqual({ level: 'info', data });
  });

  it('sends null for data that JSON has no form for, since the member is required', async () => {
    const memory = openMemory(createRunner((context) => context.log('info', undefined)));
    await memory.call('run', {}, metaOf({ [metaKeys.logLevel]: 'info' }));
    expect(memory.notifications[0]?.params).toStrictEqual({ level: 'info', data: null });
  });

  it('[LOG-05] refuses a level that does not exist', async () => {
    const memory = openMemory(createRunner(() => undefined));
    expect((await memory.request('tools/list', {}, metaOf({ [metaKeys.logLevel]: 'verbose' }))).error?.code).toBe(
      -32602,
    );
  });

  it('is served by prompts, resources and completions, too', async () => {
    const server = createServer({ name: 'all', version: '1.0.0' }, { logger: silentLogger });
    const log = (context: RequestContext): string => {
      context.log('info', 'here');
      return 'x';
    };
    server
      .resource('mem://a', { name: 'a' }, (_, context) => log(context))
      .resourceTemplate(
        'mem://t/{id}',
        { name: 't', complete: { id: (_, __, context) => [log(context)] } },
        (_, context) => log(context),
      )
      .prompt('p', {}, (_, context) => log(context));
    const memory = openMemory(server);
    const meta = metaOf({ [metaKeys.logLevel]: 'info' });
    await memory.request('resources/read', { uri: 'mem://a' }, meta);
    await memory.request('resources/read', { uri: 'mem://t/1' }, meta);
    await memory.request('prompts/get', { name: 'p' }, meta);
    await memory.request(
      'completion/complete',
      { ref: { type: 'ref/resource', uri: 'mem://t/{id}' }, argument: { name: 'id', value: '' } },
      meta,
    );
    expect(memory.notifications).toHaveLength(4);
  });
});

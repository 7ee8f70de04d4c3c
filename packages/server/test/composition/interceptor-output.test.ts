import { createServer, type Interceptor, type Server, ToolError } from '@switchyard/server';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';

import { openMemory } from '../memory-route.ts';
import { createRecorder } from '../recorder.ts';
import { nextTurn } from '../turns.ts';
import type { Received } from '../wire.ts';

const serverInfoKey = 'io.modelcontextprotocol/serverInfo';

/**
 * Answers what a caller of tools with output schemas gets through interceptors, first one outermost, and what the log
 * says of it.
 */
async function callThrough(
  interceptors: readonly Interceptor[],
  tool = 'clock',
  mounted = false,
): Promise<{ readonly response: Received; readonly problem: string }> {
  const log = createRecorder();
  const server = createServer({ name: 'clock', version: '1.0.0' }, { logger: log })
    .tool(
      'clock',
      {
        output: z.object({
          at: z
            .date()
            .transform((at) => at.toISOString())
            .pipe(z.string()),
        }),
      },
      () => ({
        at: new Date(0),
      }),
    )
    .tool('count', { output: z.object({ n: z.number().default(1) }) }, () => ({}))
    .tool('plain', { output: { type: 'object', required: ['n'], properties: { n: { default: 1 } } } }, () => ({}))
    .tool('fails', { output: z.object({ n: z.number() }) }, () => {
      throw new ToolError('no', { data: { why: 'none' } });
    })
    .tool('free', {}, () => ({ any: 'thing' }));
  for (const interceptor of interceptors) server.use(interceptor);
  const served = mounted
    ? createServer({ name: 'host', version: '1.0.0' }, { logger: log }).mount('in', server)
    : server;
  const response = await openMemory(served).request('tools/call', { name: mounted ? `in_${tool}` : tool });
  return { response, problem: String(log.lines.find(({ level }) => level === 'error')?.fields['err']) };
}

/** An interceptor that answers the result of next with other members. */
function answering(members: object): Interceptor {
  return async (_request, next) => ({ ...(await next()), ...members });
}

const inPlace: Interceptor = async (_request, next) => {
  const result = await next();
  Reflect.set(result, 'structuredContent', { at: 5 });
  return result;
};

const breaks = 'answered structured content that breaks the output schema of the tool';
const lacks = 'answered no structured content';

describe('structured content that an interceptor changed', () => {
  it.each<[string, readonly Interceptor[], string, string]>([
    ['has a member of another type', [answering({ structuredContent: { at: 5 } })], 'clock', breaks],
    ['has a member more', [answering({ structuredContent: { at: 'now', more: 1 } })], 'clock', breaks],
    ['is an array', [answering({ structuredContent: [] })], 'clock', breaks],
    ['is null', [answering({ structuredContent: null })], 'clock', breaks],
    ['lacks what the schema has a default for', [answering({ structuredContent: {} })], 'count', breaks],
    ['lacks the same of a JSON Schema', [answering({ structuredContent: {} })], 'plain', breaks],
    ['is what JSON makes another thing of', [answering({ structuredContent: { n: Number.NaN } })], 'count', breaks],
    ['was left out', [answering({ structuredContent: undefined })], 'clock', lacks],
    ['was never there', [() => ({ content: [] })], 'clock', lacks],
    ['was put in place of another', [inPlace], 'clock', breaks],
    ['was put in place of another inside another one', [(_request, next) => next(), inPlace], 'clock', breaks],
    ['is that of a failure no more', [answering({ isError: false })], 'fails', breaks],
    [
      'is that of another tool',
      [(request, next) => next({ ...request, params: { ...request.params, name: 'count' } } as never)],
      'clock',
      breaks,
    ],
  ])('[TOOL-21] is not sent when it breaks the output schema: it %s', async (_, interceptors, tool, rule) => {
    for (const mounted of [false, true]) {
      const { response, problem } = await callThrough(interceptors, tool, mounted);
      expect(response.error).toMatchObject({ code: -32603 });
      expect(problem).toContain(rule);
    }
  });

  it.each<[string, Interceptor, string, unknown]>([
    ['of the form that is served', answering({ structuredContent: { at: 'redacted' } }), 'clock', { at: 'redacted' }],
    ['handed on', (_request, next) => next(), 'clock', { at: '1970-01-01T00:00:00.000Z' }],
    ['in a copy of the result', answering({ _meta: { 'a.b/c': 1 } }), 'clock', { at: '1970-01-01T00:00:00.000Z' }],
    ['of a failure', answering({ isError: true, structuredContent: { why: 1 } }), 'clock', { why: 1 }],
    ['of a tool without an output schema', answering({ structuredContent: [1] }), 'free', [1]],
  ])('is sent %s', async (_, interceptor, tool, content) => {
    for (const mounted of [false, true]) {
      const { response } = await callThrough([interceptor], tool, mounted);
      expect(response.result?.['structuredContent']).toEqual(content);
    }
  });

  it('is laid to the interceptor that changed it', async () => {
    const { problem } = await callThrough([
      function outer(_request, next) {
        return next();
      },
      Object.defineProperty(answering({ structuredContent: {} }), 'name', { value: 'inner' }),
    ]);
    expect(problem).toContain(`the interceptor inner ${breaks}`);
  });
});

describe('structured content of a tool that is defined anew while it is called', () => {
  it('[TOOL-21] is held against the output schema that the call began with', async () => {
    for (const structuredContent of [{ old: 2 }, { new: 2 }]) {
      const gate = Promise.withResolvers<object>();
      const server = createServer({ name: 'clock', version: '1.0.0' });
      const define = (member: string): Server =>
        server.tool('changing', { output: z.object({ [member]: z.number() }) }, () => gate.promise as never);
      define('old');
      server.use(answering({ structuredContent }));
      const answer = openMemory(server).request('tools/call', { name: 'changing' });
      await nextTurn();
      server.removeTool('changing');
      define('new');
      gate.resolve({ old: 1 });
      const { result, error } = await answer;
      if ('old' in structuredContent) expect(result?.['structuredContent']).toEqual(structuredContent);
      else expect(error).toMatchObject({ code: -32603 });
    }
  });
});

describe('what a result says of the server', () => {
  it.each([5, 'clock', {}, { name: 'clock' }, { name: 'clock', version: 1 }])(
    '[META-09] is not sent as %j, which is no implementation',
    async (info) => {
      const { response, problem } = await callThrough([answering({ _meta: { [serverInfoKey]: info } })]);
      expect(response.error).toMatchObject({ code: -32603 });
      expect(problem).toContain(serverInfoKey);
    },
  );

  it('may be more than its name and version', async () => {
    const info = { name: 'clock', version: '1.0.0', title: 'Clock' };
    const { response } = await callThrough([answering({ _meta: { [serverInfoKey]: info } })]);
    expect(response.result?.['_meta']).toEqual({ [serverInfoKey]: info });
  });
});

import { describe, expect, it } from 'vitest';
import type { CallToolResult } from '@switchyard/protocol';
import { createPeerContext } from '../../src/peer/peer-context.ts';
import { fitToolResult } from '../../src/trust/result-size.ts';
import { failure } from '../expect-failure.ts';
import { createManualClock, settle } from '../manual-clock.ts';
import { watch } from '../serve-scripted.ts';
import { serveTasks, taskState } from '../tasks/serve-tasks.ts';
import { reach } from './tool-server.ts';

const content = ['x', 'y'].map((letter) => ({ type: 'text' as const, text: letter.repeat(5_000) }));

/** A spill whose disk takes one piece each time that `take` is called. */
function createSlowSpill() {
  const kept = new Set<string>();
  const waiting: (() => void)[] = [];
  let count = 0;
  return {
    kept,
    waiting,
    async take() {
      waiting.shift()?.();
      await settle();
    },
    spill: {
      async keep() {
        await new Promise<void>((resolve) => waiting.push(resolve));
        const uri = `x://${count++}`;
        kept.add(uri);
        return uri;
      },
      drop: (uris: readonly string[]) => Promise.resolve(uris.forEach((uri) => kept.delete(uri))),
    },
  };
}

describe('what is kept of a result', () => {
  it.each([0, 1])(
    'is dropped where its call is given up after %d pieces, with the one that comes later',
    async (pieces) => {
      const { spill, kept, waiting, take } = createSlowSpill();
      const { client } = await reach(
        { results: { 'tools/call': { content } } },
        { resultSize: { maxBytes: 1_000, spill } },
      );
      const controller = new AbortController();
      const call = watch(client.callTool('big', {}, { signal: controller.signal }));
      await settle();
      for (let piece = 0; piece < pieces; piece += 1) await take();
      expect(kept.size).toBe(pieces);
      controller.abort();
      await settle();
      expect([call.outcome, kept.size]).toMatchObject([{ code: 'aborted' }, 0]);
      await take();
      expect([kept.size, waiting]).toEqual([0, []]);
    },
  );

  it('stays where its call has ended with it', async () => {
    const { spill, kept, take } = createSlowSpill();
    const { client } = await reach(
      { results: { 'tools/call': { content } } },
      { resultSize: { maxBytes: 1_000, spill } },
    );
    const controller = new AbortController();
    const call = client.callTool('big', {}, { signal: controller.signal });
    await settle();
    await take();
    await take();
    expect((await call).content).toMatchObject([{ type: 'resource_link' }, { type: 'resource_link' }]);
    controller.abort();
    await settle();
    expect(kept.size).toBe(2);
  });

  it('is dropped where nobody waits any more for a result that is small enough already', async () => {
    const { spill, kept, take } = createSlowSpill();
    const controller = new AbortController();
    const waiting = { signal: controller.signal, local: <T>(_what: string, work: () => Promise<T>) => work() };
    const context = createPeerContext({ server: 'depot' });
    const result: CallToolResult = { content };
    const fitting = fitToolResult(context, { what: 'a tool', waiting }, result, { maxBytes: 1_000, spill });
    await take();
    await take();
    await fitting;
    expect(kept.size).toBe(2);
    controller.abort();
    await settle();
    expect(kept.size).toBe(0);
  });

  it('is dropped where its call runs out of time, which is not put down to the server', async () => {
    const clock = createManualClock();
    const { spill, kept, take } = createSlowSpill();
    const { client } = await reach(
      { results: { 'tools/call': { content } } },
      { clock, maxTimeoutMs: 3000, resultSize: { maxBytes: 1_000, spill } },
    );
    const call = watch(client.callTool('big'));
    await settle();
    await take();
    await clock.advance(3000);
    expect(call.outcome).toMatchObject({ code: 'timeout', mayHaveRun: true });
    expect((call.outcome as Error).message).toMatch(
      /has answered, and resultSize\.spill took too long.*raise maxTimeoutMs/,
    );
    expect((call.outcome as Error).message).not.toContain('busy');
    expect(kept.size).toBe(0);
  });

  it('is dropped where the result of a task is given up, or runs out of time', async () => {
    const { spill, kept, take } = createSlowSpill();
    const states = [taskState({ status: 'completed', result: { content } })];
    const { client, clock } = await serveTasks({ resultSize: { maxBytes: 1_000, spill } }, { states });
    const task = client.task('t-1');
    const controller = new AbortController();
    const given = failure(task.result({ signal: controller.signal }));
    await settle();
    await take();
    expect(kept.size).toBe(1);
    controller.abort();
    expect((await given).code).toBe('aborted');
    await take();
    const late = watch(task.result({ maxTimeoutMs: 5000 }));
    await settle();
    await take();
    await clock.advance(5000);
    expect(late.outcome).toMatchObject({
      code: 'timeout',
      reason: expect.stringContaining('resultSize.spill') as string,
    });
    await take();
    expect(kept.size).toBe(0);
  });

  it('is no result where it has no URI', async () => {
    const spill = { keep: () => Promise.resolve(JSON.parse('null') as string) };
    const { client } = await reach(
      { results: { 'tools/call': { content } } },
      { resultSize: { maxBytes: 1_000, spill } },
    );
    const error = await failure(client.callTool('big'));
    expect(error).toMatchObject({
      code: 'result-rejected',
      reason: expect.stringContaining('answered no URI') as string,
    });
  });
});

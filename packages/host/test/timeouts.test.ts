import { createScriptedServer } from '@switchyard/testing';
import { describe, expect, it } from 'vitest';
import { verdictMetaKey } from '../src/call/verdict.ts';
import { createManualClock } from './manual-clock.ts';
import { open } from './open-for-test.ts';
import { auditTrail } from './open-test-host.ts';
import { orders, ran } from './shop.ts';

describe('the verdict on a call that takes too long, or that its caller gives up', () => {
  it('timeout comes at the shortest deadline, names the server, and cancels the request there', async () => {
    for (const [own, limit, expected] of [
      [undefined, 30_000, 30_000],
      [500, 30_000, 500],
      [90_000, 30_000, 30_000],
    ] as const) {
      const clock = createManualClock();
      let signal: AbortSignal | undefined;
      const shop = orders({
        answer(method, _params, exchange) {
          if (method !== 'tools/call') return undefined;
          ({ signal } = exchange);
          return new Promise(() => undefined);
        },
      });
      const host = await open({ shop }, { limits: { callTimeoutMs: limit } }, clock);
      await host.as('reader').tools();
      const call = host
        .as('reader')
        .call('shop__get_order', { order_id: 'x' }, own === undefined ? {} : { timeoutMs: own });
      await clock.advance(expected - 1);
      expect(signal?.aborted).toBe(false);
      await clock.advance(1);
      expect((await call)._meta?.[verdictMetaKey]).toMatchObject({
        reason: 'timeout',
        message: expect.stringContaining(`within ${expected} ms`),
      });
      expect(signal?.aborted).toBe(true);
      expect(await auditTrail(host)).toEqual(ran('timeout'));
    }
  });

  it('timeout counts the time that reaching the server takes, and a start that takes too long is told as such', async () => {
    const clock = createManualClock();
    const hanging = createScriptedServer({ answer: () => new Promise(() => undefined) });
    const host = await open({ hanging }, { limits: { startTimeoutMs: 3000 } }, clock);
    const params = { uri: 'mcp://hanging/doc%3A%2F%2F1' };
    const read = (timeoutMs: number) => host.as('reader').invoke({ method: 'resources/read', params }, { timeoutMs });
    const [early, late] = [read(500), read(60_000)];
    await clock.advance(500);
    expect(await early).toMatchObject({ verdict: { reason: 'timeout', message: expect.stringContaining('500 ms') } });
    await clock.advance(2500);
    expect(await late).toMatchObject({ kind: 'failed', verdict: { message: expect.stringContaining('3000 ms') } });
    expect(await host.audit.verify()).toMatchObject({ ok: true, intents: 2, outcomes: 2 });
  });

  it('timeout costs one timer a call, which is gone when the call has ended', async () => {
    const clock = createManualClock();
    const timers = { set: 0, armed: 0 };
    const after = (delayMs: number, task: () => void) => {
      timers.set += 1;
      timers.armed += 1;
      const cancel = clock.after(delayMs, task);
      return () => {
        timers.armed -= 1;
        cancel();
      };
    };
    const host = await open({ shop: orders() }, {}, { ...clock, after });
    await host.as('reader').tools();
    const idle = { ...timers };
    await host.as('reader').call('shop__cancel_order');
    expect(timers).toEqual({ set: idle.set + 1, armed: idle.armed });
  });

  it('cancelled by the caller ends at once, cancels the request, and has an outcome', async () => {
    const started = Promise.withResolvers<AbortSignal>();
    const shop = orders({
      answer(method, _params, { signal }) {
        if (method !== 'tools/call') return undefined;
        started.resolve(signal);
        return new Promise(() => undefined);
      },
    });
    const host = await open({ shop });
    const controller = new AbortController();
    const call = host.as('reader').call('shop__get_order', { order_id: 'x' }, { signal: controller.signal });
    const upstreamSignal = await started.promise;
    controller.abort();
    expect((await call)._meta?.[verdictMetaKey]).toMatchObject({ reason: 'cancelled' });
    expect(upstreamSignal.aborted).toBe(true);
    expect(await auditTrail(host)).toEqual(ran('cancelled'));
  });

  it('cancelled before it ran is refused', async () => {
    const shop = orders();
    const host = await open({ shop });
    await host.as('reader').tools();
    const signal = AbortSignal.abort();
    const result = await host.as('reader').call('shop__get_order', { order_id: 'x' }, { signal });
    expect(result._meta?.[verdictMetaKey]).toMatchObject({ reason: 'cancelled' });
    expect(shop.paramsOf('tools/call')).toEqual([]);
    expect(await auditTrail(host)).toEqual(['refused cancelled shop get_order']);
  });
});

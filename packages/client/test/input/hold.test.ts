import { describe, expect, it } from 'vitest';
import { withDeadline } from '../../src/timing/deadline.ts';
import { createPeerContext } from '../../src/peer/peer-context.ts';
import { createManualClock, settle } from '../manual-clock.ts';
import { watch } from '../serve-scripted.ts';

function start(limits: { readonly totalMs: number; readonly idleMs: number }) {
  const clock = createManualClock();
  const context = createPeerContext({ server: 'depot', clock });
  const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const never = new Promise<never>(() => undefined);
  const seen = watch(
    withDeadline(context, { what: 'the work', ...limits }, async (deadline) => {
      void deadline.hold(() => first.promise);
      void deadline.hold(() => second.promise);
      return deadline.step('the step', () => never);
    }),
  );
  return { clock, seen, first, second };
}

describe('a deadline that is held', () => {
  it('goes on when the last of several lets go, as far from its end as before', async () => {
    const { clock, seen, first, second } = start({ totalMs: 500, idleMs: 1000 });
    await clock.advance(10_000);
    first.resolve();
    await clock.advance(10_000);
    expect(seen.outcome).toBeUndefined();
    second.resolve();
    await settle();
    await clock.advance(499);
    expect(seen.outcome).toBeUndefined();
    await clock.advance(1);
    expect(seen.outcome).toMatchObject({ code: 'timeout', message: expect.stringContaining('500 ms') });
  });

  it('holds the idle limit of a step that begins meanwhile, too', async () => {
    const { clock, seen, first, second } = start({ totalMs: 5000, idleMs: 100 });
    await clock.advance(1000);
    expect(seen.outcome).toBeUndefined();
    first.resolve();
    second.resolve();
    await settle();
    await clock.advance(99);
    expect(seen.outcome).toBeUndefined();
    await clock.advance(1);
    expect(seen.outcome).toMatchObject({ code: 'timeout', message: expect.stringContaining('100 ms') });
  });

  it('arms no timer once the work is over', async () => {
    const clock = createManualClock();
    let armed = 0;
    const counting = {
      now: () => clock.now(),
      after(delayMs: number, task: () => void) {
        armed += 1;
        const stop = clock.after(delayMs, task);
        return () => {
          armed -= 1;
          stop();
        };
      },
    };
    const late = Promise.withResolvers<void>();
    const context = createPeerContext({ server: 'depot', clock: counting });
    await withDeadline(context, { what: 'the work', totalMs: 500 }, (deadline) => {
      void deadline.hold(() => late.promise);
      return Promise.resolve();
    });
    const before = armed;
    late.resolve();
    await settle();
    expect(armed).toBe(before);
  });
});

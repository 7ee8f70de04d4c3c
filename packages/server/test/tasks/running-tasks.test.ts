import { silentLogger } from '@switchyard/server';
import { describe, expect, it } from 'vitest';

import type { Change } from '../../src/subscriptions/change.ts';
import { createRunningTasks } from '../../src/tasks/running-tasks.ts';

/** A hub that keeps who listens. */
function createHub() {
  const listeners = new Set<(change: Change) => void>();
  return {
    listeners,
    listen: async (listener: (change: Change) => void) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

describe('the tasks that run in a process', () => {
  it('listen to other instances while there is one, and no longer', async () => {
    const hub = createHub();
    const running = createRunningTasks(hub, silentLogger);
    expect(hub.listeners.size).toBe(0);
    expect(await running.reserve('a')).toBe(true);
    expect(await running.reserve('b')).toBe(true);
    expect(hub.listeners.size).toBe(1);
    running.remove('a');
    running.remove('a');
    await Promise.resolve();
    expect(hub.listeners.size).toBe(1);
    running.remove('b');
    await expect.poll(() => hub.listeners.size).toBe(0);
  });

  it('go on listening when the last one ends while the next one begins', async () => {
    const hub = createHub();
    const running = createRunningTasks(hub, silentLogger);
    await running.reserve('a');
    const reserving = running.reserve('b');
    running.remove('a');
    expect(await reserving).toBe(true);
    await new Promise((resolve) => setImmediate(resolve));
    expect(hub.listeners.size).toBe(1);
    expect(running.has('b')).toBe(true);
  });

  it('try to listen again for the next one when the bus did not answer', async () => {
    const hub = createHub();
    let isAway = true;
    const flaky = {
      listen: (listener: (change: Change) => void) =>
        isAway ? Promise.reject(new Error('the bus does not answer')) : hub.listen(listener),
    };
    const running = createRunningTasks(flaky, silentLogger);
    expect(await running.reserve('a')).toBe(false);
    isAway = false;
    expect(await running.reserve('b')).toBe(true);
  });

  it('stop listening with the last one, also when an attempt of before failed late', async () => {
    const hub = createHub();
    const first = Promise.withResolvers<never>();
    const attempts = [() => first.promise];
    const running = createRunningTasks(
      { listen: (listener) => attempts.shift()?.() ?? hub.listen(listener) },
      silentLogger,
    );
    const reserving = running.reserve('a');
    running.remove('a');
    expect(await running.reserve('b')).toBe(true);
    first.reject(new Error('the bus does not answer'));
    expect(await reserving).toBe(false);
    running.remove('b');
    await expect.poll(() => hub.listeners.size).toBe(0);
  });
});

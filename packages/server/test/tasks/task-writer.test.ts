import { describe, expect, it } from 'vitest';

import { asked, described } from '../../src/tasks/task-changes.ts';
import type { TaskRecord } from '../../src/tasks/task-record.ts';
import type { TaskStore } from '../../src/tasks/task-store.ts';
import { TaskWriter } from '../../src/tasks/task-writer.ts';
import { nextTurn } from '../turns.ts';

const first: TaskRecord = {
  tool: 't',
  createdAt: 0,
  lastUpdatedAt: 0,
  aliveUntil: 0,
  ttlMs: 1_000,
  pollIntervalMs: 1_000,
  asks: {},
};

/** A store of one task, and every state that it had. */
function createStore(): { readonly states: TaskRecord[]; readonly change: TaskStore['change'] } {
  const states = [first];
  return {
    states,
    async change(_key, step) {
      const record = states.at(-1) as TaskRecord;
      const next = step(record);
      if (next !== undefined) states.push(next);
      return { record: next ?? record, isChanged: next !== undefined };
    },
  };
}

describe('what the process of a task writes of it', () => {
  it('drops an answer at once that the handler got through a write of its own', async () => {
    const store = createStore();
    const writer = new TaskWriter(
      { key: 'k', store: store as Partial<TaskStore> as TaskStore, epochNow: () => 0, onChanged: () => undefined },
      {
        onWritten(record) {
          if (record?.asks['a'] === undefined || record.statusMessage === undefined) return;
          writer.take('a');
          void writer.renew();
        },
        onFailure: (error) => expect.fail(String(error)),
      },
    );
    await writer.write(asked('a', { method: 'roots/list', params: {} }, 0));
    await writer.write(described({ statusMessage: 'half' }, 0));
    await nextTurn();
    expect(store.states.map(({ asks }) => Object.keys(asks))).toEqual([[], ['a'], ['a'], []]);
  });
});

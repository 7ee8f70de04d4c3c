import { createMemoryRecordStore, type RecordStore } from '@switchyard/stores';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import {
  answered,
  asked,
  cancelRequested,
  described,
  ended,
  lapsed,
  renewed,
  type TaskChange,
  taken,
} from '../../src/tasks/task-changes.ts';
import { detailedTaskText, parseTaskRecord, statusOf, type TaskRecord } from '../../src/tasks/task-record.ts';
import { createTaskStore } from '../../src/tasks/task-store.ts';
import { storeWith } from '../effects/store-with.ts';
import { type DetailedTask, detailedTask, type InputRequest, type JsonObject } from '@switchyard/protocol';

const question: InputRequest = { method: 'roots/list', params: {} };
const begun: TaskRecord = {
  tool: 'job',
  createdAt: 0,
  lastUpdatedAt: 0,
  ttlMs: 1_000_000,
  pollIntervalMs: 1_000,
  aliveUntil: 30_000,
  asks: {},
};

const key = fc.constantFrom('a', 'b', 'c');
const time = fc.integer({ min: 0, max: 120_000 });

/** Every change that anybody makes, with its name. */
const change: fc.Arbitrary<readonly [name: string, change: TaskChange]> = fc.oneof(
  time.map((now) => ['renewed', renewed(now)] as const),
  fc.tuple(key, time).map(([name, now]) => ['asked', asked(name, question, now)] as const),
  fc.tuple(key, time).map(([name, now]) => ['answered', answered({ [name]: { roots: [] } }, now)] as const),
  key.map((name) => ['taken', taken(new Set([name]))] as const),
  time.map((now) => ['described', described({ statusMessage: 'on the way' }, now)] as const),
  time.map((now) => ['cancelRequested', cancelRequested(now)] as const),
  time.map((now) => ['completed', ended({ status: 'completed', result: '{"content":[]}' }, undefined, now)] as const),
  time.map((now) => ['failed', ended({ status: 'failed', error: { code: -32603, message: 'x' } }, 'x', now)] as const),
  time.map((now) => ['cancelled', ended({ status: 'cancelled' }, 'Cancelled', now)] as const),
  time.map((now) => ['lapsed', lapsed(now)] as const),
);

const TIME_LIMIT = { interruptAfterTimeLimit: 3_000, numRuns: 20_000 };

describe('a task', () => {
  it('[TASK-19] never changes once it has ended, whatever comes in whatever order', () => {
    fc.assert(
      fc.property(fc.array(change, { maxLength: 30 }), (changes) => {
        let record = begun;
        for (const [, each] of changes) {
          const next = each(record);
          if (record.end !== undefined) expect(next).toBeUndefined();
          record = next ?? record;
        }
      }),
      TIME_LIMIT,
    );
  });

  it('[TASK-16] is always a task of the protocol: it has questions, a result or an error in the state that has them, and nowhere else', () => {
    fc.assert(
      fc.property(fc.array(change, { maxLength: 30 }), (changes) => {
        let record = begun;
        for (const [, each] of changes) {
          record = each(record) ?? record;
          const shown = JSON.parse(detailedTaskText('id', record)) as DetailedTask & JsonObject;
          expect(detailedTask(shown)).toBeUndefined();
          expect(['inputRequests' in shown, 'result' in shown, 'error' in shown]).toEqual(
            ['input_required', 'completed', 'failed'].map((status) => status === shown.status),
          );
        }
      }),
      TIME_LIMIT,
    );
  });

  it('asks nobody any more once its caller wants it to end', () => {
    fc.assert(
      fc.property(fc.array(change, { maxLength: 30 }), (changes) => {
        let record = begun;
        for (const [, each] of changes) record = each(record) ?? record;
        for (const [, each] of [['', cancelRequested(1)] as const, ...changes]) record = each(record) ?? record;
        expect(record.asks).toEqual({});
        expect(statusOf(record)).not.toBe('input_required');
      }),
      TIME_LIMIT,
    );
  });

  it('[TASK-33] has one answer to each question: the first', () => {
    const first = answered({ a: { roots: [] } }, 1)(asked('a', question, 0)(begun) as TaskRecord) as TaskRecord;
    expect(answered({ a: { roots: [{ uri: 'file:///x' }] } }, 2)(first)).toBeUndefined();
    expect(first.asks['a']?.answer).toEqual({ roots: [] });
  });

  it('says when it last changed to whoever looks, which a sign of life does not', () => {
    expect(renewed(5)(begun)?.lastUpdatedAt).toBe(0);
    expect(described({ statusMessage: 'x' }, 5)(begun)?.lastUpdatedAt).toBe(5);
    expect(ended({ status: 'cancelled' }, undefined, 6)(begun)?.lastUpdatedAt).toBe(6);
  });

  it('never last changed before that, whatever the clock of whoever changes it says', () => {
    fc.assert(
      fc.property(fc.array(change, { maxLength: 30 }), (changes) => {
        let record = begun;
        for (const [, each] of changes) {
          const next = each(record) ?? record;
          expect(next.lastUpdatedAt).toBeGreaterThanOrEqual(record.lastUpdatedAt);
          record = next;
        }
      }),
      TIME_LIMIT,
    );
  });

  it('[TASK-18] has failed, or is cancelled where that was wanted, when its process gives no sign of life', () => {
    expect(lapsed(30_000)(begun)).toBeUndefined();
    const failed = lapsed(30_001)(begun) as TaskRecord;
    expect(failed.end).toMatchObject({ status: 'failed', error: { code: -32603 } });
    expect(failed.statusMessage).toContain('is gone');
    const wanted = cancelRequested(1)(begun) as TaskRecord;
    expect(lapsed(30_001)(wanted)?.end).toEqual({ status: 'cancelled' });
  });
});

describe('what is stored in the place of a task', () => {
  const asks = { a: { request: question } };
  const stored: object = { ...begun, asks, scopes: ['jobs'], statusMessage: 'x' };

  it('is a task where a message can be made of it', () => {
    for (const end of [
      undefined,
      { status: 'cancelled' },
      { status: 'completed', result: '{"content":[]}' },
      { status: 'failed', error: { code: -32603, message: 'x' } },
    ])
      expect(parseTaskRecord(JSON.stringify({ ...stored, end }))).toMatchObject(begun);
  });

  it.each<[string, unknown]>([
    ['no object', []],
    ['another end', { ...stored, end: { status: 'lost' } }],
    ['an end without a status', { ...stored, end: {} }],
    ['an end that is a list', { ...stored, end: [] }],
    ['a result that is missing', { ...stored, end: { status: 'completed' } }],
    ['a result that is no JSON', { ...stored, end: { status: 'completed', result: '{"a":' } }],
    ['a result that is no object', { ...stored, end: { status: 'completed', result: '7' } }],
    ['a result that is no text', { ...stored, end: { status: 'completed', result: {} } }],
    ['an error without a code', { ...stored, end: { status: 'failed', error: { message: 'x' } } }],
    ['a question that is none', { ...stored, asks: { a: null } }],
    ['a question without a request', { ...stored, asks: { a: {} } }],
    ['an answer that is none', { ...stored, asks: { a: { request: question, answer: 7 } } }],
    ['a time that no date has', { ...stored, createdAt: 1e300 }],
    ['a time of more digits than a number has', { ...stored, createdAt: 1e17 }],
    ['a time that is a text', { ...stored, lastUpdatedAt: '7' }],
    ['half a millisecond', { ...stored, ttlMs: 0.5 }],
    ['scopes that are no list', { ...stored, scopes: 'jobs' }],
    ['a status message that is no text', { ...stored, statusMessage: 7 }],
  ])('is none with %s', (_, value) => {
    expect(parseTaskRecord(JSON.stringify(value))).toBeUndefined();
  });
});

/** A store whose calls take turns in an order that a test chooses. */
function scheduled(scheduler: fc.Scheduler, store: RecordStore): RecordStore {
  return storeWith(store, {
    get: async (name) => {
      await scheduler.schedule(Promise.resolve());
      return store.get(name);
    },
    put: async (...written) => {
      await scheduler.schedule(Promise.resolve());
      return store.put(...written);
    },
  });
}

describe('a task with several writers', () => {
  it('[TASK-19] ends once, and every writer sees the same end, in every order of their reads and writes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), fc.array(change, { minLength: 2, maxLength: 8 }), async (scheduler, changes) => {
        const plain = createMemoryRecordStore({ epochNow: () => 0 });
        const site = { audience: 'jobs', epochNow: () => 0, isHere: () => false, onLapsed: () => undefined };
        const writers = createTaskStore(scheduled(scheduler, plain), site);
        const place = writers.keyOf(undefined, 'task') ?? '';
        await createTaskStore(plain, site).create(place, begun);
        const writing = Promise.all(changes.map(([, each]) => writers.change(place, each)));
        await scheduler.waitFor(writing);
        const ends = new Set((await writing).flatMap((seen) => JSON.stringify(seen?.record.end) ?? []));
        expect(ends.size).toBeLessThanOrEqual(1);
        const last = await createTaskStore(plain, site).read(place);
        if (ends.size === 1) expect(JSON.stringify(last?.end)).toBe([...ends][0]);
        await plain.close();
      }),
      { interruptAfterTimeLimit: 3_000, numRuns: 2_000 },
    );
  });
});

import type { AppendLog, AppendLogLimits, LogReadOptions, LogRecord } from '@switchyard/stores';
import { StoreError } from '@switchyard/stores';
import * as fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { storeError } from './store-error.ts';

/** Opens an empty log of the implementation under test. */
export type OpenAppendLog = (limits: AppendLogLimits) => Promise<AppendLog>;

function record(stream: string, sequence: number, text = `{"n":${sequence}}`): LogRecord {
  return { stream, sequence, text };
}

/** The records `first` to `last` of a stream. */
function run(stream: string, first: number, last: number): LogRecord[] {
  return Array.from({ length: last - first + 1 }, (_, index) => record(stream, first + index));
}

async function contents(log: AppendLog, options?: LogReadOptions): Promise<LogRecord[]> {
  const records: LogRecord[] = [];
  let previous: number | undefined;
  for await (const { position, ...stored } of log.read(options)) {
    if (previous !== undefined) expect(position > previous).toBe(options?.newestFirst !== true);
    expect(position).not.toBe(previous);
    previous = position;
    records.push(stored);
  }
  return records;
}

/** The contract of an append log: every implementation runs it. */
export function describeAppendLog(implementation: string, openLog: OpenAppendLog): void {
  describe(`the append log ${implementation}`, () => {
    const opened: AppendLog[] = [];

    async function open(limits: AppendLogLimits = {}): Promise<AppendLog> {
      const log = await openLog(limits);
      opened.push(log);
      return log;
    }

    afterEach(async () => {
      for (const log of opened.splice(0)) await log.close();
    });

    it('is empty at first', async () => {
      const log = await open();
      expect(await contents(log)).toEqual([]);
      expect(await contents(log, { stream: 'a' })).toEqual([]);
      expect(await log.last('a')).toBeUndefined();
      expect(await log.size()).toBe(0);
    });

    it('gives back what was appended, in order', async () => {
      const log = await open();
      await log.append([record('a', 1), record('b', 1), record('a', 2)]);
      await log.append([record('b', 2)]);
      await log.append([record('a', 3)]);
      expect(await contents(log)).toEqual([
        record('a', 1),
        record('b', 1),
        record('a', 2),
        record('b', 2),
        record('a', 3),
      ]);
      expect(await log.size()).toBe(5);
    });

    it.each([
      ['an empty text', ''],
      ['characters of every length in UTF-8', '"aé€𐍈"'],
      ['a text that looks like SQL', `'); DROP TABLE record; --`],
      ['half a megabyte', 'x€'.repeat(250_000)],
    ])('gives back %s unchanged', async (_kind, text) => {
      const log = await open();
      await log.append([record('a', 1, text)]);
      expect(await contents(log)).toEqual([record('a', 1, text)]);
      expect((await log.last('a'))?.text).toBe(text);
    });

    it('accepts an append without records', async () => {
      const log = await open();
      await log.append([]);
      expect(await log.size()).toBe(0);
    });

    it.each([2, 0, -1, 1.5, NaN, Infinity, Number.MAX_SAFE_INTEGER + 1])(
      'refuses the sequence %d as the first of a stream',
      async (sequence) => {
        const log = await open();
        await expect(log.append([record('a', sequence, '{}')])).rejects.toEqual(storeError('conflict'));
        expect(await log.size()).toBe(0);
        await log.append([record('a', 1)]);
        expect(await log.size()).toBe(1);
      },
    );

    it.each([1, 2, 3, 5, 6])('refuses the sequence %d after 3', async (sequence) => {
      const log = await open();
      await log.append(run('a', 1, 3));
      await expect(log.append([record('a', sequence, '"other"')])).rejects.toEqual(storeError('conflict'));
      expect(await contents(log)).toEqual(run('a', 1, 3));
      await log.append([record('a', 4)]);
      expect(await contents(log)).toEqual(run('a', 1, 4));
    });

    it.each<[string, LogRecord[]]>([
      ['a gap', [record('a', 3), record('a', 5)]],
      ['a repeat', [record('a', 3), record('a', 3)]],
      ['a conflict in another stream', [record('a', 3), record('b', 1), record('b', 2), record('c', 2)]],
      ['a conflict that comes first', [record('b', 2), record('a', 3)]],
      ['a record that cannot be kept', [record('a', 3), record('a', 4, '\ud800')]],
    ])('stores nothing of an append that holds %s', async (_kind, records) => {
      const log = await open();
      await log.append(run('a', 1, 2));
      await expect(log.append(records)).rejects.toBeInstanceOf(StoreError);
      expect(await contents(log)).toEqual(run('a', 1, 2));
      expect(await log.last('b')).toBeUndefined();
      await log.append([record('a', 3), record('b', 1)]);
      expect(await log.size()).toBe(4);
    });

    it('applies appends in the order of the calls, without waiting in between', async () => {
      const log = await open();
      await Promise.all(run('a', 1, 200).map((one) => log.append([one])));
      expect(await contents(log)).toEqual(run('a', 1, 200));
    });

    it('fails only the appends that conflict when many are under way', async () => {
      const log = await open();
      const results = await Promise.allSettled([
        log.append([record('a', 1)]),
        log.append([record('a', 3)]),
        log.append([record('b', 1), record('a', 2), record('b', 3)]),
        log.append([record('b', 1), record('a', 2)]),
        log.append([record('a', 3)]),
      ]);
      expect(results.map(({ status }) => status)).toEqual([
        'fulfilled',
        'rejected',
        'rejected',
        'fulfilled',
        'fulfilled',
      ]);
      expect(await contents(log)).toEqual([record('a', 1), record('b', 1), record('a', 2), record('a', 3)]);
    });

    it('answers the last record of each stream', async () => {
      const log = await open();
      await log.append([...run('a', 1, 3), record('b', 1)]);
      expect(await log.last('a')).toMatchObject(record('a', 3));
      expect(await log.last('b')).toMatchObject(record('b', 1));
      expect(await log.last('A')).toBeUndefined();
    });

    it('reads from a position, up to a limit, of one stream', async () => {
      const log = await open();
      for (let sequence = 1; sequence <= 5; sequence += 1) {
        await log.append([record('a', sequence), record('b', sequence)]);
      }
      const third = await log.read({ limit: 3 }).next();
      expect(third.value).toMatchObject(record('a', 1));
      const positions: number[] = [];
      for await (const { position } of log.read()) positions.push(position);
      const after = positions[4] ?? NaN;
      expect(await contents(log, { after })).toEqual([
        record('b', 3),
        record('a', 4),
        record('b', 4),
        record('a', 5),
        record('b', 5),
      ]);
      expect(await contents(log, { after, limit: 2 })).toEqual([record('b', 3), record('a', 4)]);
      expect(await contents(log, { after, stream: 'a' })).toEqual(run('a', 4, 5));
      expect(await contents(log, { after, stream: 'b', limit: 1 })).toEqual([record('b', 3)]);
      expect(await contents(log, { stream: 'b', limit: 100 })).toEqual(run('b', 1, 5));
      expect(await contents(log, { limit: 0 })).toEqual([]);
      expect(await contents(log, { after: positions.at(-1) ?? NaN })).toEqual([]);
      expect(await contents(log, { stream: 'c' })).toEqual([]);
    });

    it('reads more records than one page holds', async () => {
      const log = await open();
      await log.append(run('a', 1, 700));
      await log.append(run('b', 1, 700));
      await log.append(run('a', 701, 1400));
      expect(await contents(log)).toEqual([...run('a', 1, 700), ...run('b', 1, 700), ...run('a', 701, 1400)]);
      expect(await contents(log, { stream: 'a' })).toEqual(run('a', 1, 1400));
      expect(await contents(log, { stream: 'a', limit: 1000 })).toEqual(run('a', 1, 1000));
    });

    it('reads records that are larger than a page together', async () => {
      const log = await open();
      const texts = ['a', 'b', 'c', 'd', 'e'].map((letter) => letter.repeat(700_000));
      for (const [index, text] of texts.entries()) await log.append([record('a', index + 1, text)]);
      expect((await contents(log)).map(({ text }) => text)).toEqual(texts);
      expect((await contents(log, { stream: 'a' })).map(({ text }) => text)).toEqual(texts);
    });

    it('reads from its end where that is wanted: the same records in the opposite order, whatever else is asked for', async () => {
      const log = await open();
      await log.append(run('a', 1, 700));
      await log.append([record('b', 1), ...run('a', 701, 702), record('b', 2)]);
      for (const options of [{}, { stream: 'a' }, { stream: 'b' }, { after: 300 }, { after: 300, stream: 'a' }]) {
        const oldestFirst = await contents(log, options);
        expect(oldestFirst.length).toBeGreaterThan(1);
        const newestFirst = await contents(log, { ...options, newestFirst: true });
        expect(newestFirst).toEqual(oldestFirst.toReversed());
        for (const limit of [0, 1, 300]) {
          const limited = await contents(log, { ...options, newestFirst: true, limit });
          expect(limited).toEqual(newestFirst.slice(0, limit));
        }
      }
      expect(await contents(log, { stream: 'c', newestFirst: true })).toEqual([]);
    });

    it('reads records from its end that are larger than a page together', async () => {
      const log = await open();
      const texts = ['a', 'b', 'c', 'd', 'e'].map((letter) => letter.repeat(700_000));
      for (const [index, text] of texts.entries()) await log.append([record('a', index + 1, text)]);
      for (const options of [{}, { stream: 'a' }]) {
        const read = await contents(log, { ...options, newestFirst: true });
        expect(read.map(({ text }) => text)).toEqual(texts.toReversed());
      }
    });

    it('ends a reading at what was stored when it began', async () => {
      const log = await open();
      await log.append(run('a', 1, 300));
      let next = 301;
      let seen = 0;
      for await (const { sequence } of log.read()) {
        seen += 1;
        expect(sequence).toBe(seen);
        await log.append([record('a', next)]);
        next += 1;
      }
      expect(seen).toBe(300);
      expect(await log.size()).toBe(600);
    });

    it('lets a reader stop early and several read at once', async () => {
      const log = await open();
      await log.append(run('a', 1, 600));
      for await (const { sequence } of log.read()) if (sequence === 2) break;
      const [left, right] = [log.read(), log.read({ stream: 'a' })];
      for (let sequence = 1; sequence <= 600; sequence += 1) {
        expect((await left.next()).value).toMatchObject({ sequence });
        expect((await right.next()).value).toMatchObject({ sequence });
      }
      expect((await left.next()).done).toBe(true);
      expect((await right.next()).done).toBe(true);
    });

    it('refuses what is over a limit', async () => {
      const log = await open({ maxStreamChars: 3, maxTextChars: 5, maxAppendRecords: 2 });
      await log.append([record('abc', 1, '12345')]);
      await expect(log.append([record('abcd', 1, '1')])).rejects.toEqual(storeError('too-large'));
      await expect(log.append([record('abc', 2, '123456')])).rejects.toEqual(storeError('too-large'));
      await expect(log.append(run('a', 1, 3))).rejects.toEqual(storeError('too-large'));
      await expect(log.last('abcd')).rejects.toEqual(storeError('too-large'));
      expect(await log.size()).toBe(1);
    });

    it.each([
      ['an empty stream name', record('', 1)],
      ['U+0000 in a stream name', record('a\0', 1)],
      ['half of a surrogate pair in a stream name', record('\ud800', 1)],
      ['U+0000 in a text', record('a', 1, '\0')],
    ])('refuses %s, which some databases would change', async (_kind, unstorable) => {
      const log = await open();
      await expect(log.append([unstorable])).rejects.toEqual(storeError('corrupt'));
    });

    it('waits for the accepted appends before it closes, and refuses later ones', async () => {
      const log = await open();
      const accepted = run('a', 1, 40).map((one) => log.append([one]));
      let settled = 0;
      for (const append of accepted) void append.then(() => (settled += 1));
      const closing = log.close();
      await expect(log.append([record('a', 41)])).rejects.toEqual(storeError('closed'));
      await closing;
      await Promise.all(accepted);
      expect(settled).toBe(40);
    });

    it('refuses every call after it was closed, and may be closed twice', async () => {
      const log = await open();
      await log.append(run('a', 1, 600));
      const reading = log.read();
      await reading.next();
      await log.close();
      await log.close();
      await log[Symbol.asyncDispose]();
      const rest = async (): Promise<void> => {
        for (;;) if ((await reading.next()).done === true) return;
      };
      await expect(rest()).rejects.toEqual(storeError('closed'));
      await expect(log.append([record('a', 601)])).rejects.toEqual(storeError('closed'));
      await expect(log.append([])).rejects.toEqual(storeError('closed'));
      await expect(log.read().next()).rejects.toEqual(storeError('closed'));
      await expect(log.last('a')).rejects.toEqual(storeError('closed'));
      await expect(log.size()).rejects.toEqual(storeError('closed'));
    });

    it('keeps each stream without gap or repeat under any appends', async () => {
      const appended = fc.array(fc.tuple(fc.constantFrom('a', 'b', 'é'), fc.integer({ min: -1, max: 3 })), {
        maxLength: 4,
      });
      await fc.assert(
        fc.asyncProperty(fc.array(appended, { maxLength: 20 }), async (appends) => {
          const log = await openLog({});
          const model: LogRecord[] = [];
          const heads = new Map<string, number>();
          try {
            const calls: Promise<void>[] = [];
            const expected: string[] = [];
            for (const steps of appends) {
              // Each record is placed a step away from where its stream ends; only step 1 continues it.
              const trial = new Map(heads);
              const records = steps.map(([stream, step]) => {
                const sequence = (trial.get(stream) ?? 0) + step;
                trial.set(stream, sequence);
                return record(stream, sequence);
              });
              calls.push(log.append(records));
              const isValid = steps.every(([, step]) => step === 1);
              expected.push(isValid ? 'stored' : 'conflict');
              if (!isValid) continue;
              for (const [stream, head] of trial) heads.set(stream, head);
              model.push(...records);
            }
            const outcomes = (await Promise.allSettled(calls)).map((outcome) =>
              outcome.status === 'fulfilled' ? 'stored' : (outcome.reason as StoreError).code,
            );
            expect(outcomes).toEqual(expected);
            expect(await contents(log)).toEqual(model);
            expect(await log.size()).toBe(model.length);
            for (const [stream, head] of heads) expect((await log.last(stream))?.sequence).toBe(head);
          } finally {
            await log.close();
          }
        }),
        { numRuns: 40 },
      );
    });
  });
}

import { assertKnownOptions } from '@switchyard/protocol';
import { assertAppendable, appendLogLimitOptions, defaultAppendLogLimits, sequenceConflict } from './append-log.ts';
import type { AppendLog, AppendLogLimits, LogReadOptions, LogRecord, LoggedRecord } from './append-log.ts';
import { assertStorableName } from './assert-storable.ts';
import { StoreError } from './store-error.ts';
import { toLimits } from './to-limits.ts';

/**
 * An append log in this process's memory, for tests and for hosts that keep no evidence; closing it forgets everything.
 * It holds at most `maxRecords` (default 100,000) and then refuses with `too-large`, because a log must not drop its
 * start.
 *
 * @throws TypeError when an option is unknown or a limit is no integer of at least 1.
 */
export function createMemoryAppendLog(options: AppendLogLimits & { readonly maxRecords?: number } = {}): AppendLog {
  assertKnownOptions('createMemoryAppendLog', options, { ...appendLogLimitOptions, maxRecords: true });
  const limits = toLimits({ ...defaultAppendLogLimits, maxRecords: 100_000 }, options);
  let records: LoggedRecord[] = [];
  const streams = new Map<string, LoggedRecord[]>();
  let closed = false;

  function assertOpen(): void {
    if (closed) throw new StoreError('closed', 'the log is closed');
  }

  function assertContinues(appended: readonly LogRecord[]): void {
    const heads = new Map<string, number>();
    for (const { stream, sequence } of appended) {
      const head = heads.get(stream) ?? streams.get(stream)?.length ?? 0;
      if (sequence !== head + 1) throw sequenceConflict(sequence, head);
      heads.set(stream, sequence);
    }
  }

  async function* read({
    after = 0,
    limit = Infinity,
    stream,
    newestFirst = false,
  }: LogReadOptions = {}): AsyncGenerator<LoggedRecord, undefined> {
    assertOpen();
    const source = stream === undefined ? records : (streams.get(stream) ?? []);
    const { length } = source;
    let left = limit;
    for (let step = 0; step < length && left >= 1; step += 1) {
      const record = source[newestFirst ? length - 1 - step : step];
      if (record === undefined || record.position <= after) {
        if (newestFirst) return undefined;
        continue;
      }
      yield record;
      left -= 1;
      assertOpen();
    }
    return undefined;
  }

  async function close(): Promise<void> {
    closed = true;
    records = [];
    streams.clear();
  }

  return {
    async append(appended) {
      assertOpen();
      assertAppendable(appended, limits);
      if (records.length + appended.length > limits.maxRecords) {
        throw new StoreError('too-large', `the log in memory is full: it holds at most ${limits.maxRecords} records`);
      }
      assertContinues(appended);
      for (const { stream, sequence, text } of appended) {
        const record = Object.freeze({ stream, sequence, text, position: records.length + 1 });
        records.push(record);
        const own = streams.get(stream);
        if (own === undefined) streams.set(stream, [record]);
        else own.push(record);
      }
    },
    read,
    async last(stream) {
      assertOpen();
      assertStorableName('the stream name', stream, limits.maxStreamChars);
      return streams.get(stream)?.at(-1);
    },
    async size() {
      assertOpen();
      return records.length;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

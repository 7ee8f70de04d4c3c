import type { KnownOptions } from '@switchyard/protocol';
import { assertStorable, assertStorableName } from './assert-storable.ts';
import { StoreError } from './store-error.ts';
import { limitOptions } from './to-limits.ts';

/** One record as its writer gives it. */
export interface LogRecord {
  /** The chain that the record belongs to: one writer, one stream. 1 to `maxStreamChars` characters. */
  readonly stream: string;
  /** 1, 2, 3 … within the stream, without a gap. */
  readonly sequence: number;
  /** The record itself, in canonical JSON. The log neither reads nor changes it. */
  readonly text: string;
}

/** One record as the log gives it back. */
export interface LoggedRecord extends LogRecord {
  /** Where the record stands in the whole log: larger than that of every record before it; not always by one. */
  readonly position: number;
}

/** Which records to read. */
export interface LogReadOptions {
  /** Only records whose position is larger. Default: from the start. */
  readonly after?: number;
  /** At most so many records. Default: all. */
  readonly limit?: number;
  /** Only records of this stream. */
  readonly stream?: string;
  /** True reads from the end of the log to its start. Default false. */
  readonly newestFirst?: boolean;
}

/**
 * An append-only log of records in one or more streams, for an audit trail.
 *
 * Every method rejects with StoreError only: `closed` after `close`, `corrupt` and `unavailable` when the storage
 * fails. Several processes may append to different streams of one log at the same time.
 */
export interface AppendLog extends AsyncDisposable {
  /**
   * Appends all of `records` or none. When it resolves they are durable, as the store's durability says. Calls of one
   * process take effect in the order of the calls, so a writer need not await one before the next.
   *
   * Rejects with `conflict` when a record does not continue its stream, with `too-large` or `corrupt` when one cannot
   * be kept; nothing of the call is then stored.
   */
  append(records: readonly LogRecord[]): Promise<void>;
  /**
   * The records in the order of their positions, which within a stream is the order of their sequences; with
   * `newestFirst` in the opposite order. Holds a bounded page in memory, takes the next one when the consumer asks for
   * it, and ends at what was stored when the first record was asked for. Records whose append has resolved are seen.
   */
  read(options?: LogReadOptions): AsyncIterableIterator<LoggedRecord>;
  /** The last record of `stream`, or undefined where it has none. */
  last(stream: string): Promise<LoggedRecord | undefined>;
  /** How many records the log holds. */
  size(): Promise<number>;
  /** Refuses further calls, waits for the appends that were accepted, then closes. A second call is the same call. */
  close(): Promise<void>;
}

/** Limits of an append log; characters are UTF-16 code units. */
export interface AppendLogLimits {
  /** Longest stream name. Default 256. */
  readonly maxStreamChars?: number;
  /** Longest text of a record. Default 1 Mi. */
  readonly maxTextChars?: number;
  /** Most records of one append. Default 1,000. */
  readonly maxAppendRecords?: number;
}

/** The limits where the caller names none. */
export const defaultAppendLogLimits: Required<AppendLogLimits> = {
  maxStreamChars: 256,
  maxTextChars: 1024 * 1024,
  maxAppendRecords: 1000,
};

export const appendLogLimitOptions: KnownOptions<AppendLogLimits> = limitOptions(defaultAppendLogLimits);

/**
 * Asserts that an append is within `limits` and can be kept unchanged (StoreError `too-large`, `corrupt`, `conflict`).
 */
export function assertAppendable(records: readonly LogRecord[], limits: Required<AppendLogLimits>): void {
  if (records.length > limits.maxAppendRecords) {
    throw new StoreError(
      'too-large',
      `the append has ${records.length} records; the limit is ${limits.maxAppendRecords}`,
    );
  }
  for (const { stream, sequence, text } of records) {
    assertStorableName('the stream name', stream, limits.maxStreamChars);
    assertStorable('the record', text, limits.maxTextChars);
    if (!Number.isSafeInteger(sequence) || sequence < 1) {
      throw new StoreError('conflict', `the sequence of a record is ${sequence}; it must be a positive integer`);
    }
  }
}

/** The error for a record whose sequence does not follow `last`, the last sequence of its stream. */
export function sequenceConflict(sequence: number, last: number): StoreError {
  const reason = sequence <= last ? 'is already stored' : 'would leave a gap';
  return new StoreError('conflict', `sequence ${sequence} ${reason}: the next one of this stream is ${last + 1}`);
}

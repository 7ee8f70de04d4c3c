import { setImmediate } from 'node:timers/promises';
import type { AppendLog, LogReadOptions, LoggedRecord } from '@switchyard/stores';

const RECORDS_A_TURN = 500;

/**
 * Reads a log, and lets the rest of the process run every 500 records: a log in this process answers without waiting.
 */
export async function* readInTurns(log: AppendLog, options?: LogReadOptions): AsyncGenerator<LoggedRecord, undefined> {
  let read = 0;
  for await (const record of log.read(options)) {
    yield record;
    read += 1;
    if (read % RECORDS_A_TURN === 0) await setImmediate();
  }
  return undefined;
}

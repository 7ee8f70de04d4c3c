import type { AppendLog } from '@switchyard/stores';
import { type AuditEntry, openRecord, sealRecord } from './record.ts';

/** Writes entries into one stream of a log, each bound to the one before it by its hash. */
export interface Chain {
  readonly stream: string;
  /**
   * Resolves when the entry is durable. Entries stand in the order of the calls; a call need not await the one before.
   * Rejects with the log's error, and then the entry is not in the chain.
   */
  append(entry: AuditEntry): Promise<void>;
}

interface Head {
  readonly sequence: number;
  readonly hash: string | null;
}

/**
 * Begins or continues the chain of `stream`. There must be no other writer of it. `now` is in milliseconds since 1970.
 */
export async function openChain(log: AppendLog, stream: string, now: () => number): Promise<Chain> {
  let head = await readHead(log, stream);
  let recovery: Promise<void> | undefined;
  const underway = new Set<Promise<unknown>>();

  async function append(entry: AuditEntry): Promise<void> {
    if (recovery !== undefined) {
      await recovery;
      // Another append may have failed since.
      return append(entry);
    }
    const sequence = head.sequence + 1;
    const time = new Date(now()).toISOString();
    const { record, text } = sealRecord(entry, { stream, sequence, time, previous: head.hash });
    // Moved before the log answers, so that calls overlap; what fails moves it back to where the log really is.
    head = { sequence, hash: record.hash };
    const written = log.append([{ stream, sequence, text }]);
    underway.add(written);
    try {
      await written;
    } catch (error) {
      recovery ??= recover();
      throw error;
    } finally {
      underway.delete(written);
    }
  }

  /**
   * Looks where the log really is. Nothing may be under way then: a record that took its place after the log was looked
   * at would be followed by one that continues another, and the log itself compares sequences only.
   */
  async function recover(): Promise<void> {
    try {
      while (underway.size > 0) await Promise.allSettled(underway);
      head = await readHead(log, stream);
    } catch {
      // The log cannot be read either. The head stays ahead of it, so the next append is refused and looks again.
    } finally {
      recovery = undefined;
    }
  }

  return { stream, append };
}

async function readHead(log: AppendLog, stream: string): Promise<Head> {
  const last = await log.last(stream);
  if (last === undefined) return { sequence: 0, hash: null };
  const opened = openRecord(last.text);
  return { sequence: last.sequence, hash: 'record' in opened ? opened.record.hash : null };
}

import type { AppendLog } from '@switchyard/stores';
import { HostError } from '../host-error.ts';
import { readInTurns } from './read-in-turns.ts';
import { type AuditKind, type AuditRecord, openRecord } from './record.ts';
import { type AuditVerification, verifyAudit } from './verify.ts';

/** Which records to list. All given members must match. */
export interface AuditQuery {
  /** At most so many, the newest ones. Default 100. */
  readonly limit?: number;
  readonly kind?: AuditKind;
  readonly agent?: string;
  readonly server?: string;
  readonly callId?: string;
}

/**
 * What an audit says, without a way to write to it. Methods reject with HostError `audit` when the log cannot be read.
 */
export interface Audit {
  /**
   * The newest records that match, oldest first. What is no record of this version is left out; `verify` reports it.
   */
  list(query?: AuditQuery): Promise<AuditRecord[]>;
  /** Checks the whole audit; see {@link AuditVerification}. */
  verify(): Promise<AuditVerification>;
}

const DEFAULT_LIMIT = 100;

/** Makes the readable side of an audit over a log. */
export function createAudit(log: AppendLog): Audit {
  return {
    list: (query = {}) => reading(() => listRecords(log, query)),
    verify: () => reading(() => verifyAudit(log)),
  };
}

/** Reads from the end, so that the newest records of a long audit cost no more than those of a short one. */
async function listRecords(log: AppendLog, { limit = DEFAULT_LIMIT, ...query }: AuditQuery): Promise<AuditRecord[]> {
  const wanted = Object.entries(query).filter(([, value]) => value !== undefined);
  const found: AuditRecord[] = [];
  if (!(limit >= 1)) return found;
  for await (const { text } of readInTurns(log, { newestFirst: true })) {
    const opened = openRecord(text);
    if (!('record' in opened)) continue;
    const members = new Map<string, unknown>(Object.entries(opened.record));
    if (!wanted.every(([name, value]) => members.get(name) === value)) continue;
    found.push(opened.record);
    if (found.length >= limit) break;
  }
  return found.toReversed();
}

async function reading<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    throw new HostError(
      'audit',
      `the audit cannot be read: ${error instanceof Error ? error.message : String(error)}`,
      { cause: error },
    );
  }
}

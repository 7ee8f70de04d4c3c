import { type AppendLog, createMemoryAppendLog } from '@switchyard/stores';
import { type Durability, openSqliteAppendLog } from '@switchyard/stores/sqlite';
import { HostError } from '../host-error.ts';
import { type ArgumentDigest, createArgumentDigest, openArgumentKey } from './argument-key.ts';
import { type Audit, createAudit } from './audit.ts';
import { openChain } from './chain.ts';
import type { AuditEntry } from './record.ts';

/** An audit that this process writes to, in a stream of its own. */
export interface AuditLog extends Audit {
  /** Resolves when the entry is durable; rejects with StoreError when it could not be written. */
  append(entry: AuditEntry): Promise<void>;
  /** The keyed digest for arguments. */
  readonly digest: ArgumentDigest;
  /** Waits for accepted entries, then closes. */
  close(): Promise<void>;
}

/** Where an audit is kept. */
export type AuditLocation = { readonly path: string; readonly durability: Durability } | 'memory';

/** What {@link openAuditLog} takes from outside. */
export interface AuditSurroundings {
  /** Milliseconds since 1970. */
  readonly epochNow: () => number;
  readonly randomBytes: (size: number) => Uint8Array;
}

/**
 * Opens an audit for writing. In a file, it is a SQLite log, and the key of its argument digests stands in
 * `<path>.key`; several processes may write to one file. In memory, both are forgotten at the end.
 *
 * The stream is named after this instance (random) and its epoch (the time of opening), so that no two writers share
 * one. Rejects with HostError `audit`.
 */
export async function openAuditLog(
  location: AuditLocation,
  { epochNow, randomBytes }: AuditSurroundings,
): Promise<AuditLog> {
  const log = await openLog(location);
  try {
    const key = location === 'memory' ? randomBytes(32) : await openArgumentKey(`${location.path}.key`, randomBytes);
    const stream = `${Buffer.from(randomBytes(8)).toString('hex')}.${Math.trunc(epochNow())}`;
    const chain = await openChain(log, stream, epochNow);
    return { ...createAudit(log), append: chain.append, digest: createArgumentDigest(key), close: () => log.close() };
  } catch (error) {
    await log.close();
    throw error instanceof HostError ? error : cannotOpen(error);
  }
}

/** An audit that is only read. */
export interface OpenedAudit extends Audit, AsyncDisposable {
  close(): Promise<void>;
}

/**
 * Opens the audit in the SQLite file at `path` to list or verify it; no server is started. Rejects with HostError
 * `audit` where there is none.
 */
export async function openAudit(path: string): Promise<OpenedAudit> {
  let log: AppendLog;
  try {
    log = await openSqliteAppendLog({ path, create: false });
  } catch (error) {
    throw cannotOpen(error);
  }
  const close = (): Promise<void> => log.close();
  return { ...createAudit(log), close, [Symbol.asyncDispose]: close };
}

async function openLog(location: AuditLocation): Promise<AppendLog> {
  if (location === 'memory') return createMemoryAppendLog();
  try {
    return await openSqliteAppendLog(location);
  } catch (error) {
    throw cannotOpen(error);
  }
}

function cannotOpen(error: unknown): HostError {
  return new HostError(
    'audit',
    `the audit cannot be opened: ${error instanceof Error ? error.message : String(error)}`,
    { cause: error },
  );
}

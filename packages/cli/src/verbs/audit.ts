import { type Audit, type AuditRecord, openAudit } from '@switchyard/host';
import { present } from '@switchyard/protocol';
import { loadConfiguration } from '../configuration/load-configuration.ts';
import { exitCodes, usageFailure } from '../failure.ts';
import { showRecords, showVerification } from '../present/show-audit.ts';
import type { Surroundings } from '../surroundings.ts';
import type { Terminal } from '../terminal.ts';

/** The options of both audit verbs. No server is started for either. */
export interface AuditFlags {
  readonly config?: string;
}

/** The options of `audit list`. */
export interface AuditListFlags extends AuditFlags {
  readonly limit?: number;
  readonly agent?: string;
  /** The same as `agent`. */
  readonly as?: string;
  readonly server?: string;
  readonly kind?: AuditRecord['kind'];
  /** A call id. */
  readonly call?: string;
}

/** `switchyard audit list`: prints the newest records that match, oldest first. */
export async function auditList(
  flags: AuditListFlags,
  surroundings: Surroundings,
  terminal: Terminal,
): Promise<number> {
  if (flags.agent !== undefined && flags.as !== undefined)
    throw usageFailure('--as is the same as --agent: leave one of them out.');
  const { limit, agent = flags.as, server, kind, call: callId } = flags;
  const query = present({ limit, agent, server, kind, callId });
  const records = await onAudit(flags.config, surroundings, terminal, (audit) => audit.list(query));
  terminal.result(records, () => showRecords(records));
  return exitCodes.success;
}

/**
 * `switchyard audit verify`: checks the whole audit. An audit that is not intact is printed as such, and the exit code
 * is 1.
 */
export async function auditVerify(
  { config }: AuditFlags,
  surroundings: Surroundings,
  terminal: Terminal,
): Promise<number> {
  const found = await onAudit(config, surroundings, terminal, (audit) => audit.verify());
  terminal.result(found, () => showVerification(found));
  return found.ok ? exitCodes.success : exitCodes.toolError;
}

async function onAudit<T>(
  config: string | undefined,
  surroundings: Surroundings,
  terminal: Terminal,
  work: (audit: Audit) => Promise<T>,
): Promise<T> {
  const { configuration } = await loadConfiguration(config, surroundings, terminal);
  const audit = await openAudit(configuration.audit.path);
  try {
    return await work(audit);
  } finally {
    await audit.close();
  }
}

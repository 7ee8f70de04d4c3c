import type { ConfigurationInput } from '@switchyard/config';
import type { Responder } from '@switchyard/protocol';
import type { AuditRecord } from '../src/audit/record.ts';
import type { Host } from '../src/host.ts';
import { openHost, type OpenHostOptions } from '../src/open-host.ts';
import type { ManualClock } from './manual-clock.ts';

/** Lets everything through: tools, prompts and resources. */
export const everything = { allow: ['*', 'prompt:*', 'resource:*'] };

/**
 * Opens a host over servers in this process, with the audit in memory, and perhaps a manual clock. Agent `reader` may
 * do everything unless agents are given.
 */
export function openTestHost(
  servers: Readonly<Record<string, Responder>>,
  { agents = { reader: everything }, ...rest }: ConfigurationInput = {},
  { advance: _advance, ...options }: OpenHostOptions & Partial<ManualClock> = {},
): Promise<Host> {
  return openHost({ agents, ...rest }, { audit: 'memory', env: {}, cwd: '/nowhere', mount: servers, ...options });
}

/** What the audit says of each record, in order: kind, reason or whether it completed, server and name. */
export async function auditTrail(host: Host): Promise<string[]> {
  const records = await host.audit.list();
  return records.map(({ kind, reason, server = '-', name }: AuditRecord) =>
    [kind, ...(reason === undefined ? [] : [reason]), server, name].join(' '),
  );
}

import type { AuditRecord } from '@switchyard/host';
import { type Command, Option } from 'commander';
import type { Surroundings } from '../surroundings.ts';
import type { AuditFlags, AuditListFlags } from '../verbs/audit.ts';
import { toPositive, withConfig, withJson } from './options.ts';
import type { Perform } from './perform.ts';

const recordKinds = ['intent', 'outcome', 'refused'] as const satisfies readonly AuditRecord['kind'][];

/** Declares `audit list` and `audit verify`: look at the record of every call. */
export function declareAudit(program: Command, surroundings: Surroundings, perform: Perform): void {
  const audit = program
    .command('audit')
    .description('Look at the record of every call; no server is started.')
    .addHelpText(
      'after',
      `
Examples:
  switchyard audit list --kind refused
  switchyard audit verify
  switchyard help audit list                     more about one of them`,
    );
  withJson(withConfig(audit.command('list')))
    .description('Print the newest records that match, oldest first.')
    .option('-n, --limit <count>', 'at most so many (default: 100)', toPositive)
    .option('--agent <agent>', 'of this agent only')
    .option('--as <agent>', 'the same as --agent')
    .option('--server <name>', 'of this server only')
    .addOption(new Option('--kind <kind>', 'of this kind only').choices(recordKinds))
    .option('--call <id>', 'of this call only')
    .addHelpText(
      'after',
      `
With --json: an array of records.

Examples:
  switchyard audit list
  switchyard audit list --kind refused --agent reader --limit 20
  switchyard audit list --json | jq -r '.[] | [.time, .kind, .server, .name] | @tsv'`,
    )
    .action((flags: AuditListFlags) =>
      perform(async (terminal) => {
        const { auditList } = await import('../verbs/audit.ts');
        return auditList(flags, surroundings, terminal);
      }),
    );
  withJson(withConfig(audit.command('verify')))
    .option('--as <agent>', 'taken as everywhere; the records of all agents are checked')
    .description('Check that the record is whole: hashes, order, and one outcome for each call that ran.')
    .addHelpText(
      'after',
      `
With --json: what was found. Exit 0: intact; 1: not intact; 2: it cannot be read. A call that a killed process left unfinished
is counted and is no fault of the record.

Examples:
  switchyard audit verify
  switchyard audit verify --config examples/demo/switchyard.yaml --json`,
    )
    .action((flags: AuditFlags) =>
      perform(async (terminal) => {
        const { auditVerify } = await import('../verbs/audit.ts');
        return auditVerify(flags, surroundings, terminal);
      }),
    );
}

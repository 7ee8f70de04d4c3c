import type { Command } from 'commander';
import type { Surroundings } from '../surroundings.ts';
import type { SnapshotFlags } from '../verbs/snapshot.ts';
import { toDuration, withJson } from './options.ts';
import type { Perform } from './perform.ts';

/** Declares `snapshot`: a fixed conversation with a server that is started for it, as one file. */
export function declareSnapshot(program: Command, surroundings: Surroundings, perform: Perform): void {
  withJson(program.command('snapshot'))
    .description('Write what a server can do as one file: the same bytes on every run of the same server.')
    .argument('[plan]', 'the plan (default: ./plan.yaml, else ./examples/study-server/plan.yaml)')
    .option('-o, --output <file>', 'where the snapshot is written (default: what the plan says)')
    .option('--check', 'compare with that file instead')
    .option('--timeout <seconds>', 'how long a message may take (default: 10)', toDuration)
    .addHelpText(
      'after',
      `
A plan names the command that is started, how many instances of it, and the requests that they get; examples/study-server has one. No file
is written that holds the handshake of an older revision, a session id, or a request from the server. Exit 0: written, or the same; 1: not
the same, or such a file; 2: the plan or the server cannot be used. With --json: the file, and whether it is the same.

Examples:
  switchyard snapshot
  switchyard snapshot --check
  switchyard snapshot plans/orders.yaml --output outputs/orders.json`,
    )
    .action((plan: string | undefined, flags: SnapshotFlags) =>
      perform(async (terminal) => {
        const { snapshot } = await import('../verbs/snapshot.ts');
        return snapshot(plan, flags, surroundings, terminal);
      }),
    );
}

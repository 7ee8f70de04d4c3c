import type { Command } from 'commander';
import type { Surroundings } from '../surroundings.ts';
import type { TargetFlags } from '../target/on-target.ts';
import { targetHelp, withTarget } from './options.ts';
import type { Perform } from './perform.ts';

/** Declares `resources`: list what may be read. */
export function declareResources(program: Command, surroundings: Surroundings, perform: Perform): void {
  withTarget(program.command('resources'))
    .description('List the resources and resource templates that you may read.')
    .addHelpText(
      'after',
      `
With --json: an array of definitions; a resource has a uri to read it by, a template a uriTemplate to fill in. ${targetHelp}

Examples:
  switchyard resources
  switchyard resources --as reader --json
  switchyard resources --server 'node server.js'`,
    )
    .action((flags: TargetFlags) =>
      perform(async (terminal) => {
        const { resources } = await import('../verbs/list.ts');
        return resources(flags, surroundings, terminal);
      }),
    );
}

import type { Command } from 'commander';
import type { Surroundings } from '../surroundings.ts';
import type { TargetFlags } from '../target/on-target.ts';
import { targetHelp, withTarget } from './options.ts';
import type { Perform } from './perform.ts';

/** Declares `tools`: list what may be called. */
export function declareTools(program: Command, surroundings: Surroundings, perform: Perform): void {
  withTarget(program.command('tools'))
    .description('List the tools that you may call, with their arguments.')
    .addHelpText(
      'after',
      `
With --json: an array of definitions, each under the name to call it by. ${targetHelp}

Examples:
  switchyard tools
  switchyard tools --as reader --json
  switchyard tools --server 'node server.js --verbose' --env API_KEY=…
  switchyard tools --url https://mcp.example.com/mcp --header 'Authorization: Bearer …'`,
    )
    .action((flags: TargetFlags) =>
      perform(async (terminal) => {
        const { tools } = await import('../verbs/list.ts');
        return tools(flags, surroundings, terminal);
      }),
    );
}

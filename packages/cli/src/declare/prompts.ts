import type { Command } from 'commander';
import type { Surroundings } from '../surroundings.ts';
import type { TargetFlags } from '../target/on-target.ts';
import { targetHelp, withTarget } from './options.ts';
import type { Perform } from './perform.ts';

/** Declares `prompts`: list what may be rendered. */
export function declarePrompts(program: Command, surroundings: Surroundings, perform: Perform): void {
  withTarget(program.command('prompts'))
    .description('List the prompts that you may render, with their arguments.')
    .addHelpText(
      'after',
      `
With --json: an array of definitions, each under the name to render it by. ${targetHelp}

Examples:
  switchyard prompts
  switchyard prompts --as reader --json
  switchyard prompts --url http://127.0.0.1:7420/mcp`,
    )
    .action((flags: TargetFlags) =>
      perform(async (terminal) => {
        const { prompts } = await import('../verbs/list.ts');
        return prompts(flags, surroundings, terminal);
      }),
    );
}

import type { Command } from 'commander';
import type { Surroundings } from '../surroundings.ts';
import type { TargetFlags } from '../target/on-target.ts';
import { inputHelp, targetHelp, withInput, withTarget } from './options.ts';
import type { Perform } from './perform.ts';

/** Declares `prompt`: render a prompt. */
export function declarePrompt(program: Command, surroundings: Surroundings, perform: Perform): void {
  withInput(withTarget(program.command('prompt')))
    .description('Render a prompt and print its messages.')
    .argument('<name>', 'the name of the prompt')
    .argument('[key=value...]', 'the arguments, all of them text')
    .addHelpText(
      'after',
      `
With --json: the result.${inputHelp}${targetHelp}

Examples:
  switchyard prompt review__code file=src/main.ts
  switchyard prompt --server 'node server.js' review file=src/main.ts --json`,
    )
    .action((name: string, pairs: readonly string[], flags: TargetFlags) =>
      perform(async (terminal) => {
        const { prompt } = await import('../verbs/prompt.ts');
        return prompt(name, pairs, flags, surroundings, terminal);
      }),
    );
}

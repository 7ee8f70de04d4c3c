import type { Command } from 'commander';
import { exitCodes } from '../failure.ts';
import { withJson } from './options.ts';
import type { Perform } from './perform.ts';

/** Declares `completion`: print a completion script for a shell. */
export function declareCompletion(program: Command, perform: Perform): void {
  withJson(program.command('completion'))
    .description('Print a script that completes verbs and options in a shell.')
    .argument('<shell>', 'bash, zsh or fish')
    .addHelpText(
      'after',
      `
With --json: an object with the shell and the script.

Examples:
  source <(switchyard completion bash)
  switchyard completion zsh > ~/.zfunc/_switchyard
  switchyard completion fish > ~/.config/fish/completions/switchyard.fish`,
    )
    .action((shell: string) =>
      perform(async (terminal) => {
        const { completionScript } = await import('../verbs/completion.ts');
        const script = completionScript(shell, program);
        terminal.result({ shell, script }, () => script);
        return exitCodes.success;
      }),
    );
}

import { Argument, type Command } from 'commander';
import { exitCodes } from '../failure.ts';
import { type Shell, shells } from '../shell.ts';
import type { Surroundings } from '../surroundings.ts';
import { withConfig, withJson } from './options.ts';
import type { Perform } from './perform.ts';

/** Declares `completion`: print a completion script for a shell; and the verb that such a script asks for agents. */
export function declareCompletion(program: Command, surroundings: Surroundings, perform: Perform): void {
  withJson(program.command('completion'))
    .description('Print a script that completes verbs, options and their values in a shell.')
    .addArgument(new Argument('<shell>', 'the shell').choices(shells))
    .addHelpText(
      'after',
      `
With --json: an object with the shell and the script.

Examples:
  source <(switchyard completion bash)
  switchyard completion zsh > ~/.zfunc/_switchyard
  switchyard completion fish > ~/.config/fish/completions/switchyard.fish`,
    )
    .action((shell: Shell) =>
      perform(async (terminal) => {
        const { completionScript } = await import('../verbs/completion.ts');
        const script = completionScript(shell, program);
        terminal.result({ shell, script }, () => script);
        return exitCodes.success;
      }),
    );
  withConfig(program.command('complete-agents', { hidden: true })).action((flags: { readonly config?: string }) =>
    perform(async (terminal) => {
      const { completeAgents } = await import('../verbs/completion.ts');
      return completeAgents(flags.config, surroundings, terminal);
    }),
  );
}

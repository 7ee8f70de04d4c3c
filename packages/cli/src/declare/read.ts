import type { Command } from 'commander';
import type { Surroundings } from '../surroundings.ts';
import type { TargetFlags } from '../target/on-target.ts';
import { inputHelp, targetHelp, withInput, withTarget } from './options.ts';
import type { Perform } from './perform.ts';

/** Declares `read`: read a resource. */
export function declareRead(program: Command, surroundings: Surroundings, perform: Perform): void {
  withInput(withTarget(program.command('read')))
    .description('Read a resource and print its contents.')
    .argument('<uri>', 'the URI of the resource')
    .addHelpText(
      'after',
      `
A URI that several servers have is read as mcp://SERVER/URI, with the URI percent-encoded. With --json: the result.${inputHelp}${targetHelp}

Examples:
  switchyard read policy://refunds
  switchyard read mcp://orders/policy%3A%2F%2Frefunds --json
  switchyard read --url http://127.0.0.1:7420/mcp policy://refunds`,
    )
    .action((uri: string, flags: TargetFlags) =>
      perform(async (terminal) => {
        const { read } = await import('../verbs/read.ts');
        return read(uri, flags, surroundings, terminal);
      }),
    );
}

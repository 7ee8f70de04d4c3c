import type { Command } from 'commander';
import type { Surroundings } from '../surroundings.ts';
import type { CallFlags } from '../verbs/call.ts';
import { inputHelp, targetHelp, withInput, withTarget } from './options.ts';
import type { Perform } from './perform.ts';

/** Declares `call`: call a tool. */
export function declareCall(program: Command, surroundings: Surroundings, perform: Perform): void {
  withInput(withTarget(program.command('call')))
    .description('Call a tool and print what it answers.')
    .argument('<name>', 'the name of the tool, as `switchyard tools` lists it')
    .argument('[key=value...]', 'the arguments, typed by the input schema of the tool')
    .option('--args <json>', 'all arguments as one JSON object')
    .addHelpText(
      'after',
      `
Arguments: limit=3 is a number where the schema says so, true and false are booleans, arrays and objects are JSON, and a key that
is given again makes an array. key:=json is JSON whatever the schema says. Everything else is text, @ and all.
A task that the server makes of the call is waited for; Ctrl-C cancels it.
With --json: the result. Exit 1: the tool reports an error; 2: it could not be called; 3: you may not call it.${inputHelp}${targetHelp}

Examples:
  switchyard call book-orders__get_order order_id=A-104
  switchyard call search__find query=lamps limit=3 tags=red tags=brass
  switchyard call search__find --args '{"query":"lamps","limit":3}' --json
  switchyard call --server 'node server.js' get_order order_id=A-104
  switchyard call --server 'node server.js' order --answers '{"size":{"action":"accept","content":{"size":"XL"}}}' --json`,
    )
    .action((name: string, pairs: readonly string[], flags: CallFlags) =>
      perform(async (terminal) => {
        const { call } = await import('../verbs/call.ts');
        return call(name, pairs, flags, surroundings, terminal);
      }),
    );
}

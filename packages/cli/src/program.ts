import { Command } from 'commander';
import { declareAudit } from './declare/audit.ts';
import { declareCall } from './declare/call.ts';
import { declareCheck } from './declare/check.ts';
import { declareCompletion } from './declare/completion.ts';
import { declareDoctor } from './declare/doctor.ts';
import { declarePrompt } from './declare/prompt.ts';
import { declareRead } from './declare/read.ts';
import { declareList } from './declare/lists.ts';
import { declareSnapshot } from './declare/snapshot.ts';
import { declareLogins } from './declare/logins.ts';
import { declareUp } from './declare/up.ts';
import type { Perform } from './declare/perform.ts';
import type { Surroundings } from './surroundings.ts';

/**
 * Declares the command line: every verb with its options and examples. A verb's code is loaded when it runs, so that
 * help is quick. `perform` is given what is to be run.
 */
export function createProgram(version: string, surroundings: Surroundings, perform: Perform): Command {
  const program = new Command('switchyard')
    .description('Many MCP servers behind one governed path: permissions, and a record of every call.')
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print help')
    .helpCommand('help [verb]', 'print help for a verb')
    .showSuggestionAfterError(true)
    .configureOutput({
      writeOut: (text) => surroundings.stdout.write(text),
      writeErr: (text) => surroundings.stderr.write(text),
      // The error is thrown as well, and reported once, by whoever runs the program.
      outputError: () => undefined,
    })
    .exitOverride()
    .addHelpText(
      'after',
      `
Exit codes: 0 success, 1 the tool reports an error, or check, doctor, snapshot or audit verify found a fault, 2 a protocol
or local error, 3 denied by the policy, 130 interrupted.

Examples:
  switchyard up                                  serve what ./switchyard.yaml says
  switchyard tools                               list what you may call
  switchyard call orders__get_order id=A-104     call a tool
  switchyard tools --server 'node server.js'     look at one server, without a configuration
  switchyard help call                           more about a verb`,
    );

  declareUp(program, surroundings, perform);
  declareList('tools', program, surroundings, perform);
  declareCall(program, surroundings, perform);
  declareList('resources', program, surroundings, perform);
  declareRead(program, surroundings, perform);
  declareList('prompts', program, surroundings, perform);
  declarePrompt(program, surroundings, perform);
  declareAudit(program, surroundings, perform);
  declareCheck(program, surroundings, perform);
  declareDoctor(program, surroundings, perform);
  declareSnapshot(program, surroundings, perform);
  declareLogins(program, surroundings, perform);
  declareCompletion(program, surroundings, perform);
  return program;
}

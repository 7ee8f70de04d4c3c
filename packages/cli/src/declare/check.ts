import { type Command, InvalidArgumentError } from 'commander';
import type { Surroundings } from '../surroundings.ts';
import type { CheckFlags } from '../verbs/check.ts';
import { toDuration, withConfig, withJson, withServer } from './options.ts';
import type { Perform } from './perform.ts';

const CHECKS = 10;

/** Declares `check`: the ten boundary checks on a server, and comparisons of transcripts. */
export function declareCheck(program: Command, surroundings: Surroundings, perform: Perform): void {
  withServer(withJson(withConfig(program.command('check'))))
    .description('Check how a server keeps to the protocol, ours or not: ten checks, each with what was seen.')
    .argument('[target]', 'a URL, a command, or a server of the configuration; with --compare a transcript')
    .argument('[other]', 'with --compare, the transcript to compare with')
    .option('--tool <name>', 'a tool to call, whatever it does; checks 5 to 8 need one that asks for input')
    .option('--args <json>', 'the arguments of --tool as one JSON object')
    .option(
      '--answers <json>',
      'answers to its requests for input, an object by key, or @FILE (default: the smallest that fit)',
    )
    .option('--call-tools', 'call every tool without required arguments, also those that do not say readOnlyHint')
    .option('--instance <url>', 'another instance behind the same address, for check 7; a command is started twice')
    .option('--only <numbers>', 'only these checks, such as 1,5', toNumbers)
    .option('--strict', 'also fail where a check, or a part of one, could not be applied but might be')
    .option('--timeout <seconds>', 'how long a message may take (default: 10)', toDuration)
    .option('--junit <file>', 'write JUnit XML there')
    .option('--transcript <file>', 'keep the messages there, without secrets and personal data')
    .option('--compare', 'compare two transcripts instead')
    .option('--explain <file>', 'with --compare: known differences, each with a reason')
    .option('--verbose', 'show the messages of what failed, and what a started server wrote to stderr')
    .addHelpText(
      'after',
      `
What is called: --tool, and tools without required arguments that say they are read-only; with --call-tools those that do not, too.
An answer of --answers is what a client sends: {"KEY":{"action":"accept","content":{"field":"value"}}}, with "decline" or "cancel" in
place of "accept", a result of sampling, or {"roots":[…]}; the key is the one of the question, and one that nothing asks for is an error.
A command is split at spaces and quotes, and no shell runs. An explanation file is a list, in YAML or JSON, of objects with path and
because, and perhaps label; * stands for any characters. Exit 0: nothing failed; 1: something did, or the transcripts differ; 2: the
server cannot be reached, or the command line is wrong. With --json: the report, or the differences.

Examples:
  switchyard check https://mcp.example.com/mcp --header 'Authorization: Bearer …'
  switchyard check 'node server.js' --tool plan_trip --args '{"days":3}'
  switchyard check http://127.0.0.1:3000/mcp --instance http://127.0.0.1:3001/mcp --junit report.xml
  switchyard check orders --only 1,2,5 --json                    a server of the configuration
  switchyard check 'node server.js' --transcript new.jsonl && switchyard check --compare old.jsonl new.jsonl --explain known.yaml`,
    )
    .action((target: string | undefined, other: string | undefined, flags: CheckFlags) =>
      perform(async (terminal) => {
        const { check } = await import('../verbs/check.ts');
        return check(target, other, flags, surroundings, terminal);
      }),
    );
}

function toNumbers(text: string): readonly number[] {
  const numbers = text.split(',').map((part) => Number(part.trim()));
  if (numbers.every((number) => Number.isInteger(number) && number >= 1 && number <= CHECKS)) return numbers;
  throw new InvalidArgumentError(`It must be numbers from 1 to ${CHECKS} with commas between them, such as 1,5.`);
}

import { type Command, InvalidArgumentError } from 'commander';
import type { Surroundings } from '../surroundings.ts';
import type { DoctorFlags } from '../verbs/doctor.ts';
import { toDuration, withConfig, withJson, withServer } from './options.ts';
import type { Perform } from './perform.ts';

const MAX_SECONDS = 86_400;

/** Declares `doctor`: looks for the cause of what is wrong with a server. */
export function declareDoctor(program: Command, surroundings: Surroundings, perform: Perform): void {
  withServer(withJson(withConfig(program.command('doctor'))))
    .description('Look for the cause where a server does not work: one question after the other, up to the first no.')
    .argument('[target]', 'a URL, a command, or a server of the configuration')
    .option('--tool <name>', 'a tool to call, whatever it does; without it tools are listed and none is called')
    .option('--args <json>', 'the arguments of --tool as one JSON object')
    .option('--timeout <seconds>', 'how long an answer may take, that of the tool included (default: 10)', toDuration)
    .option('--idle <seconds>', 'how long an idle stream over HTTP is held, 0 for not at all (default: 10)', toSeconds)
    .option('--verbose', 'show the questions that do not arise, too, and those behind the cause')
    .addHelpText(
      'after',
      `
It looks at: the process (exit code, stderr) and its stdout, or the address, TLS and the path; who calls; headers that a proxy drops;
discovery or the handshake; the revision; the session; capabilities; whether events come at once; the tool, its arguments, the call and
its result; an idle stream. What it finds first is the cause: it shows the evidence and what to do. A command is split at spaces and
quotes, and no shell runs. Exit 0: no cause was found; 1: one was; 2: the command line is wrong. With --json: every step, with
id, question, verdict (ok, failed, skipped, unknown), saw, evidence and fix, and the id of the cause.

Examples:
  switchyard doctor https://mcp.example.com/mcp
  switchyard doctor 'node server.js' --env API_KEY
  switchyard doctor orders --tool get_order --args '{"order_id":"A-104"}'     a server of the configuration
  switchyard doctor https://mcp.example.com/mcp --idle 120 --json | jq -r .cause`,
    )
    .action((target: string | undefined, flags: DoctorFlags) =>
      perform(async (terminal) => {
        const { doctor } = await import('../verbs/doctor.ts');
        return doctor(target, flags, surroundings, terminal);
      }),
    );
}

function toSeconds(text: string): number {
  const seconds = /^\d{1,5}$/.test(text) ? Number(text) : NaN;
  if (seconds <= MAX_SECONDS) return seconds;
  throw new InvalidArgumentError(`It must be a whole number of seconds from 0 to ${MAX_SECONDS}.`);
}

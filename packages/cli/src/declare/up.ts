import { type Command, Option } from 'commander';
import { logLevels } from '../log-level.ts';
import type { Surroundings } from '../surroundings.ts';
import type { UpFlags } from '../verbs/up.ts';
import { toPort, verbose, withAgent, withConfig, withJson } from './options.ts';
import type { Perform } from './perform.ts';

/** Declares `up`: serve the host as one MCP endpoint. */
export function declareUp(program: Command, surroundings: Surroundings, perform: Perform): void {
  withJson(withAgent(withConfig(program.command('up')), ''))
    .description('Serve the host as one MCP endpoint until Ctrl-C; every server ends with it.')
    .option('-p, --port <port>', 'the port; 0 takes any free one (default: gateway.port, 7420)', toPort)
    .option('--host <address>', 'the loopback address (default: gateway.host, 127.0.0.1)')
    .option('--stdio', 'serve standard input and output instead, for clients that start their servers')
    .addOption(verbose())
    .addOption(new Option('--log-level <level>', 'what is logged to standard error (default: warn)').choices(logLevels))
    .addHelpText(
      'after',
      `
The caller is the agent gateway.anonymousAgent, or --as; without either nothing is served. With --json, one document says
what is served once every server has started or failed. --log-level info writes one JSON line for each request and call.

Examples:
  switchyard up
  switchyard up --config examples/demo/switchyard.yaml --port 8080
  switchyard up --stdio --config /home/mira/switchyard.yaml     as the command of a desktop client
  switchyard up --json --port 0 --log-level info 2>gateway.log`,
    )
    .action((flags: UpFlags) =>
      perform(async (terminal) => {
        const { up } = await import('../verbs/up.ts');
        return up(flags, surroundings, terminal);
      }),
    );
}

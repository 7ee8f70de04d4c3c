import { Command, InvalidArgumentError, Option } from 'commander';
import type { LogLevel } from './logger.ts';
import type { Surroundings } from './surroundings.ts';
import type { Terminal } from './terminal.ts';
import type { AuditFlags, AuditListFlags } from './verbs/audit.ts';
import type { CallFlags } from './verbs/call.ts';
import type { UpFlags } from './verbs/up.ts';
import type { TargetFlags } from './target/on-target.ts';

/** One run of a verb; answers the exit code. */
export type Run = (terminal: Terminal) => Promise<number>;

/**
 * Declares the command line: every verb with its options and examples. A verb's code is loaded when it runs, so that help is quick. `perform`
 * is given what is to be run.
 */
export function createProgram(
  version: string,
  surroundings: Surroundings,
  perform: (run: Run) => Promise<void>,
): Command {
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
Exit codes: 0 success, 1 the tool reports an error, 2 a protocol or local error, 3 denied by the policy.

Examples:
  switchyard up                                  serve what ./switchyard.yaml says
  switchyard tools                               list what you may call
  switchyard call orders__get_order id=A-104     call a tool
  switchyard tools --server 'node server.js'     look at one server, without a configuration
  switchyard help call                           more about a verb`,
    );

  addUp(program, surroundings, perform);
  addTools(program, surroundings, perform);
  addCall(program, surroundings, perform);
  addRead(program, surroundings, perform);
  addPrompt(program, surroundings, perform);
  addAudit(program, surroundings, perform);
  addCompletion(program, surroundings, perform);
  return program;
}

type Perform = (run: Run) => Promise<void>;

function addUp(program: Command, surroundings: Surroundings, perform: Perform): void {
  withJson(withAgent(withConfig(program.command('up'))))
    .description('Serve the host as one MCP endpoint until Ctrl-C; every server ends with it.')
    .option('-p, --port <port>', 'the port; 0 takes any free one (default: gateway.port, 7420)', toPort)
    .option('--host <address>', 'the loopback address (default: gateway.host, 127.0.0.1)')
    .option('--stdio', 'serve standard input and output instead, for clients that start their servers')
    .addOption(verbose())
    .addOption(
      new Option('--log-level <level>', 'what is logged to standard error (default: warn)').choices(logLevelChoices),
    )
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
        const { up } = await import('./verbs/up.ts');
        return up(flags, surroundings, terminal);
      }),
    );
}

const logLevelChoices: readonly LogLevel[] = ['silent', 'error', 'warn', 'info'];

function addTools(program: Command, surroundings: Surroundings, perform: Perform): void {
  withTarget(program.command('tools'))
    .description('List the tools that you may call, with their arguments.')
    .addHelpText(
      'after',
      `
With --json: an array of definitions, each under the name to call it by. ${targetHelp}

Examples:
  switchyard tools
  switchyard tools --as reader --json
  switchyard tools --server 'node server.js --verbose' --env API_KEY=…
  switchyard tools --url https://mcp.example.com/mcp --header 'Authorization: Bearer …'`,
    )
    .action((flags: TargetFlags) =>
      perform(async (terminal) => {
        const { tools } = await import('./verbs/tools.ts');
        return tools(flags, surroundings, terminal);
      }),
    );
}

function addCall(program: Command, surroundings: Surroundings, perform: Perform): void {
  withTarget(program.command('call'))
    .description('Call a tool and print what it answers.')
    .argument('<name>', 'the name of the tool, as `switchyard tools` lists it')
    .argument('[key=value...]', 'the arguments, typed by the input schema of the tool')
    .option('--args <json>', 'all arguments as one JSON object')
    .addHelpText(
      'after',
      `
Arguments: limit=3 is a number where the schema says so, true and false are booleans, arrays and objects are JSON, and a key that
is given again makes an array. key:=json is JSON whatever the schema says. Everything else is text, @ and all.
With --json: the result. Exit 1: the tool reports an error; 2: it could not be called; 3: you may not call it. ${targetHelp}

Examples:
  switchyard call book-orders__get_order order_id=A-104
  switchyard call search__find query=lamps limit=3 tags=red tags=brass
  switchyard call search__find --args '{"query":"lamps","limit":3}' --json
  switchyard call --server 'node server.js' get_order order_id=A-104`,
    )
    .action((name: string, pairs: readonly string[], flags: CallFlags) =>
      perform(async (terminal) => {
        const { call } = await import('./verbs/call.ts');
        return call(name, pairs, flags, surroundings, terminal);
      }),
    );
}

function addRead(program: Command, surroundings: Surroundings, perform: Perform): void {
  withTarget(program.command('read'))
    .description('Read a resource and print its contents.')
    .argument('<uri>', 'the URI of the resource')
    .addHelpText(
      'after',
      `
A URI that several servers have is read as mcp://SERVER/URI, with the URI percent-encoded. With --json: the result. ${targetHelp}

Examples:
  switchyard read policy://refunds
  switchyard read mcp://orders/policy%3A%2F%2Frefunds --json
  switchyard read --url http://127.0.0.1:7420/mcp policy://refunds`,
    )
    .action((uri: string, flags: TargetFlags) =>
      perform(async (terminal) => {
        const { read } = await import('./verbs/read.ts');
        return read(uri, flags, surroundings, terminal);
      }),
    );
}

function addPrompt(program: Command, surroundings: Surroundings, perform: Perform): void {
  withTarget(program.command('prompt'))
    .description('Render a prompt and print its messages.')
    .argument('<name>', 'the name of the prompt')
    .argument('[key=value...]', 'the arguments, all of them text')
    .addHelpText(
      'after',
      `
With --json: the result. ${targetHelp}

Examples:
  switchyard prompt review__code file=src/main.ts
  switchyard prompt --server 'node server.js' review file=src/main.ts --json`,
    )
    .action((name: string, pairs: readonly string[], flags: TargetFlags) =>
      perform(async (terminal) => {
        const { prompt } = await import('./verbs/prompt.ts');
        return prompt(name, pairs, flags, surroundings, terminal);
      }),
    );
}

function addAudit(program: Command, surroundings: Surroundings, perform: Perform): void {
  const audit = program.command('audit').description('Look at the record of every call; no server is started.');
  withJson(withConfig(audit.command('list')))
    .description('Print the newest records that match, oldest first.')
    .option('-n, --limit <count>', 'at most so many (default: 100)', toCount)
    .option('--agent <name>', 'of this agent only')
    .option('--server <name>', 'of this server only')
    .addOption(new Option('--kind <kind>', 'of this kind only').choices(['intent', 'outcome', 'refused']))
    .option('--call <id>', 'of this call only')
    .addHelpText(
      'after',
      `
With --json: an array of records.

Examples:
  switchyard audit list
  switchyard audit list --kind refused --agent reader --limit 20
  switchyard audit list --json | jq -r '.[] | [.time, .kind, .server, .name] | @tsv'`,
    )
    .action((flags: AuditListFlags) =>
      perform(async (terminal) => {
        const { auditList } = await import('./verbs/audit.ts');
        return auditList(flags, surroundings, terminal);
      }),
    );
  withJson(withConfig(audit.command('verify')))
    .description('Check that the record is whole: hashes, order, and one outcome for each call that ran.')
    .addHelpText(
      'after',
      `
With --json: what was found. Exit 0: intact; 1: not intact; 2: it cannot be read. A call that a killed process left unfinished
is counted and is no fault of the record.

Examples:
  switchyard audit verify
  switchyard audit verify --config examples/demo/switchyard.yaml --json`,
    )
    .action((flags: AuditFlags) =>
      perform(async (terminal) => {
        const { auditVerify } = await import('./verbs/audit.ts');
        return auditVerify(flags, surroundings, terminal);
      }),
    );
}

function addCompletion(program: Command, surroundings: Surroundings, perform: Perform): void {
  program
    .command('completion')
    .description('Print a script that completes verbs and options in a shell.')
    .argument('<shell>', 'bash, zsh or fish')
    .addHelpText(
      'after',
      `
Examples:
  source <(switchyard completion bash)
  switchyard completion zsh > ~/.zfunc/_switchyard
  switchyard completion fish > ~/.config/fish/completions/switchyard.fish`,
    )
    .action((shell: string) =>
      perform(async () => {
        const { completionScript } = await import('./verbs/completion.ts');
        surroundings.stdout.write(completionScript(shell, program));
        return 0;
      }),
    );
}

const targetHelp = `
Without --config, the switchyard.yaml, .yml, .json or .jsonc of this folder is used; no parent folder's is. --server 'COMMAND …'
and --url reach one server without a configuration; the command is split at spaces and quotes, and no shell runs.`;

function withTarget(command: Command): Command {
  return withJson(withAgent(withConfig(command)))
    .option('--server <command or url>', 'one server, without a configuration')
    .option('--url <url>', 'one server over HTTP, without a configuration')
    .option('--header <header>', "'Name: value' for every request to the URL; may be given again", collect)
    .option('--env <variable>', 'NAME=value for the server that is started; may be given again', collect)
    .addOption(verbose());
}

function withConfig(command: Command): Command {
  return command.option('-c, --config <file>', 'the configuration (default: the one of this folder)');
}

function withAgent(command: Command): Command {
  return command.option('--as <agent>', 'the agent to act as (default: gateway.anonymousAgent, else the only one)');
}

function withJson(command: Command): Command {
  return command.option('--json', 'print exactly one JSON document; diagnostics go to standard error');
}

function verbose(): Option {
  return new Option('--verbose', 'log every call as a JSON line on standard error');
}

function collect(value: string, before: readonly string[] | undefined): readonly string[] {
  return [...(before ?? []), value];
}

function toPort(text: string): number {
  const port = toCount(text);
  if (port > 65_535) throw new InvalidArgumentError('It must be a number from 0 to 65535.');
  return port;
}

function toCount(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('It must be a whole number.');
  return Number(text);
}

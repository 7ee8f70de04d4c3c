import { readFileSync } from 'node:fs';
import { type Command, CommanderError } from 'commander';
import { exitCodes, usageFailure } from './failure.ts';
import { createProgram } from './program.ts';
import type { Surroundings } from './surroundings.ts';

/**
 * Runs the command line `argv`, without the program's own name, and answers its exit code. It never rejects: what goes
 * wrong is told on standard error, or with `--json` as the one document on standard output.
 */
export async function run(argv: readonly string[], surroundings: Surroundings): Promise<number> {
  let exitCode: number = exitCodes.success;
  const program = createProgram(ownVersion(), surroundings, async (verb) => {
    exitCode = await verb(await openTerminal(argv, surroundings));
  });
  try {
    await program.parseAsync(withoutHelp(argv, program), { from: 'user' });
    return exitCode;
  } catch (thrown) {
    if (thrown instanceof CommanderError && isHelp(thrown))
      return argv.length === 0 || thrown.exitCode !== 0 ? exitCodes.failure : exitCodes.success;
    const terminal = await openTerminal(argv, surroundings);
    const { toFailure } = await import('./to-failure.ts');
    const failure =
      thrown instanceof CommanderError
        ? toUsage(thrown, verbIn(argv, program))
        : toFailure(thrown, surroundings.signal);
    terminal.fail(failure);
    return failure.exitCode;
  }
}

/** Commander's own `help` reads one word only, and answers an unknown one with the exit code of a tool error. */
function withoutHelp(argv: readonly string[], program: Command): readonly string[] {
  if (argv[0] !== 'help') return argv;
  const words = argv.slice(1).filter((word) => !word.startsWith('-'));
  let known: Command = program;
  for (const word of words) {
    const next = known.commands.find((command) => command.name() === word);
    if (next === undefined) throw usageFailure(`There is no verb "${words.join(' ')}". See: switchyard help`);
    known = next;
  }
  return [...words, '--help'];
}

async function openTerminal(argv: readonly string[], surroundings: Surroundings) {
  const { createTerminal } = await import('./terminal.ts');
  const end = argv.indexOf('--');
  return createTerminal(surroundings, argv.slice(0, end < 0 ? argv.length : end).includes('--json'));
}

function isHelp({ code }: CommanderError): boolean {
  return code === 'commander.help' || code === 'commander.helpDisplayed' || code === 'commander.version';
}

/**
 * The verb that the command line begins with, such as `audit list`, as help is asked for it; empty where it begins with
 * none.
 */
function verbIn([first, ...rest]: readonly string[], { commands }: Command): string {
  const verb = commands.find((command) => command.name() === first);
  return verb === undefined ? '' : ` ${verb.name()}${verbIn(rest, verb)}`;
}

function toUsage({ code, message }: CommanderError, verb: string): ReturnType<typeof usageFailure> {
  const place = code === 'commander.unknownOption' && verb === '' ? ' Options stand behind the verb.' : '';
  const said = message.replace(/^error: /, '').replace(/\n\(Did you mean (.*)\?\)$/s, '; did you mean $1?');
  const sentence = /[.?]$/.test(said) ? said : `${said}.`;
  return usageFailure(`${sentence[0]?.toUpperCase() ?? ''}${sentence.slice(1)}${place} See: switchyard help${verb}`);
}

function ownVersion(): string {
  const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { readonly version: string }).version;
}

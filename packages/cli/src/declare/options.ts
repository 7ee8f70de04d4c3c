import { MAX_TIMER_MS } from '@switchyard/protocol';
import { type Command, InvalidArgumentError, Option } from 'commander';

/** What the help of every verb with a target says. */
export const targetHelp = `
Without --config, the switchyard.yaml, .yml, .json or .jsonc of this folder is used; no parent folder's is. --server 'COMMAND …'
and --url reach one server without a configuration; the command is split at spaces and quotes, and no shell runs.`;

/** Adds what a verb works on: a configuration and an agent of it, or one server. */
export function withTarget(command: Command): Command {
  return withServer(withJson(withAgent(withConfig(command))))
    .option('--timeout <seconds>', 'how long a server may be silent on a request (default: 60)', toDuration)
    .option('--start-timeout <seconds>', 'how long a server may take to start and answer (default: 15)', toDuration)
    .addOption(verbose());
}

/** Adds one server that needs no configuration, and what it is given. */
export function withServer(command: Command): Command {
  return command
    .option('--server <command or url>', 'one server, without a configuration')
    .option('--url <url>', 'one server over HTTP, without a configuration')
    .option('--header <header>', "'Name: value' for every request to the URL; may be given again", collect)
    .option(
      '--env <variable>',
      'NAME=value for the server that is started, or NAME of a variable to pass through; may be given again',
      collect,
    );
}

/** Adds who answers what a server asks for while it is asked for something itself. */
export function withInput(command: Command): Command {
  return command
    .option('--answers <json>', 'answers to what the server asks, an object by key or *, or @FILE')
    .option('--root <folder>', 'a folder that the server may know of; may be given again', collect)
    .option('--no-input', 'do not ask me, even on a terminal');
}

/** What the help of every verb at which a server may ask says. */
export const inputHelp = `
A server of --server or --url may ask before it answers. On a terminal you are asked then, and see all of your answer before it is sent;
elsewhere, and with --json, give --answers '{"KEY":{"action":"accept","content":{"field":"value"}}}', with "decline" or "cancel" in place of
"accept"; the key * answers every question but a page to be opened. Without answers the server is told that nobody answers.`;

/** Adds `--config`. */
export function withConfig(command: Command): Command {
  return command.option('-c, --config <file>', 'the configuration (default: the one of this folder)');
}

/** Adds `--as`; `otherwise` says who acts without it and `gateway.anonymousAgent`. */
export function withAgent(command: Command, otherwise = ', else the only one'): Command {
  return command.option('--as <agent>', `the agent to act as (default: gateway.anonymousAgent${otherwise})`);
}

/** Adds `--json`, which every verb has. */
export function withJson(command: Command): Command {
  return command.option('--json', 'print exactly one JSON document; diagnostics go to standard error');
}

/** Answers the option `--verbose`. */
export function verbose(): Option {
  return new Option(
    '--verbose',
    'log every call as a JSON line on standard error, and show what the servers write there',
  );
}

/** Reads a port, 0 included. */
export function toPort(text: string): number {
  const port = toCount(text);
  if (port > 65_535) throw new InvalidArgumentError('It must be a number from 0 to 65535.');
  return port;
}

/** Reads seconds, of which a fraction may be given, as milliseconds: up to the longest time that there is a timer for. */
export function toDuration(text: string): number {
  const ms = /^\d{1,7}(?:\.\d{1,3})?$/.test(text) ? Math.round(Number(text) * 1_000) : NaN;
  if (ms >= 1 && ms <= MAX_TIMER_MS) return ms;
  throw new InvalidArgumentError(`It must be a number of seconds, up to ${Math.floor(MAX_TIMER_MS / 1_000)}.`);
}

/** Reads a whole number from 1 on, of at most nine digits. */
export function toPositive(text: string): number {
  const count = toCount(text);
  if (count === 0) throw new InvalidArgumentError('It must be 1 or more.');
  return count;
}

/** Reads a whole number of at most nine digits, 0 included. */
function toCount(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('It must be a whole number.');
  return Number(text);
}

function collect(value: string, before: readonly string[] | undefined): readonly string[] {
  return [...(before ?? []), value];
}

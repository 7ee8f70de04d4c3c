import type { Command } from './command.ts';
import { looksLikePassword, secretsIn } from './secrets-in.ts';

/** Options under which programs take a key, a password or a token, and other things, too. */
const AMBIGUOUS_NAMES = /^-(?:[kpt]|-key)$/i;
/** Those of one letter, and that of a login, with the value in the same argument; no option with a name and a sign of equality. */
const JOINED = /^-([kptu])(?![\w.-]*=.)(.+)$/is;
/** An argument that is nothing but a key: long, and no name of anything. */
const BARE_KEY = /^(?=.*\d)(?=.*[A-Za-z])[A-Za-z0-9_=]{24,}$/;

/**
 * Answers what is secret among a command's variables and arguments, by its name or its form, as a whole and in its
 * parts: `API_KEY=…`, `--token=…` and `--token …`, `-p …` and `-p…` where the value looks like a password, `-u user:…`; in
 * each of them the login and the query of a URL, a header, pairs like `Password=…;`, and the texts of JSON.
 */
export function commandSecrets(command: Pick<Command, 'env' | 'args'>): readonly string[] {
  // What else a configuration may hold there is refused when the process is started.
  const args = Array.isArray(command.args) ? command.args.filter(isText) : [];
  const env = Object.entries(command.env ?? {}).filter(([, value]) => isText(value));
  const joined = args.flatMap(toJoined);
  const named = [...env, ...args.flatMap((argument, at) => toNamed(argument, args[at + 1])), ...joined];
  const secrets = [
    ...named.flatMap(([name, value]) => secretsIn(value, name)),
    ...args.flatMap((argument) => (BARE_KEY.test(argument) ? [argument] : secretsIn(argument))),
    ...args.filter((argument, at) => AMBIGUOUS_NAMES.test(args[at - 1] ?? '') && looksLikePassword(argument)),
    // A word with a number behind is the name of a longer option.
    ...joined
      .map(([, value]) => value)
      .filter((value) => looksLikePassword(value) && /\d.*[A-Za-z]|[!#$%&]/.test(value)),
  ];
  return [...new Set(secrets)];
}

function toNamed(argument: string, next: string | undefined): [name: string, value: string][] {
  const [, name, value = next] = /^-*([^=\s]{1,100})(?:=(.*))?$/s.exec(argument) ?? [];
  return name === undefined || value === undefined ? [] : [[name, value]];
}

function toJoined(argument: string): [name: string, value: string][] {
  const [, name, value] = JOINED.exec(argument) ?? [];
  return name === undefined || value === undefined ? [] : [[name, value]];
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

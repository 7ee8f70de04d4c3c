import { redactSecrets, secrecyOf } from '@switchyard/guards';
import type { Command } from './command.ts';

/**
 * Answers the values among a command's variables and arguments that look like a credential by their name or form: those
 * of `API_KEY=…`, `--token=…` and `--token …`.
 */
export function commandSecrets({ env = {}, args = [] }: Pick<Command, 'env' | 'args'>): readonly string[] {
  const named = [...Object.entries(env), ...args.flatMap((argument, at) => toNamed(argument, args[at + 1]))];
  return named.flatMap(([name, value]) => {
    const assignment = `${name}=${value}`;
    return secrecyOf(name) === 'all' || redactSecrets(assignment) !== assignment ? [value] : [];
  });
}

function toNamed(argument: string, next: string | undefined): [name: string, value: string][] {
  const [, name, value = next] = /^-*([^=]+)(?:=(.*))?$/s.exec(argument) ?? [];
  return name === undefined || value === undefined ? [] : [[name, value]];
}

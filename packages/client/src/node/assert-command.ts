import type { PeerContext } from '../peer/peer-context.ts';
import type { Command } from './command.ts';

/**
 * Throws with code `invalid-argument` where a command, which may come from a configuration, holds something else than
 * the texts that a process is started with. It names the place, and no value.
 */
export function assertCommand(context: PeerContext, { command, args = [], env = {}, cwd }: Command): void {
  assertText('command', command);
  if (!Array.isArray(args)) throw wrong('args', 'an array of texts', args);
  for (const [at, argument] of args.entries()) assertText(`args[${at}]`, argument);
  if (typeof env !== 'object' || env === null) throw wrong('env', 'an object of texts', env);
  for (const [name, value] of Object.entries(env)) assertText(`env.${name}`, value);
  if (cwd !== undefined) assertText('cwd', cwd);

  function assertText(what: string, value: unknown): void {
    if (typeof value !== 'string') throw wrong(what, 'a text', value);
  }

  function wrong(what: string, expected: string, value: unknown): Error {
    const found = value === null ? 'null' : Array.isArray(value) ? 'an array' : `of type ${typeof value}`;
    return context.fail(
      'invalid-argument',
      `${what} of the command must be ${expected}, but is ${found}. Write "…" around it.`,
    );
  }
}

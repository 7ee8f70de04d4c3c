import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import { present } from '@switchyard/protocol';
import type { Command } from './command.ts';

/**
 * Answers what tells one command from another, as `Transport.identity`: the name of its program and a digest of
 * everything that it is started with. The order of variables does not matter. No argument or variable can be read from
 * it.
 */
export function commandIdentity({ command, args = [], env = {}, cwd, baseEnv }: Command): string {
  const sorted = (variables: Readonly<Record<string, string | undefined>>): unknown[] =>
    Object.entries(variables).sort(([a], [b]) => (a < b ? -1 : 1));
  const parts = { command, args, env: sorted(env), ...present({ cwd, baseEnv: baseEnv && sorted(baseEnv) }) };
  const digest = createHash('sha256').update(JSON.stringify(parts)).digest('base64url');
  return `stdio:${basename(command)}#${digest}`;
}

import { isHeaderName, isHeaderValue } from '@switchyard/config';
import { actingAgent } from '../configuration/acting-agent.ts';
import { loadConfiguration } from '../configuration/load-configuration.ts';
import { usageFailure } from '../failure.ts';
import { createLogger } from '../logger.ts';
import { splitCommand } from '../arguments/split-command.ts';
import type { Surroundings } from '../surroundings.ts';
import type { Terminal } from '../terminal.ts';
import type { Wanted } from './host-target.ts';
import type { BareServer } from './server-target.ts';
import type { Target } from './target.ts';

/** The options that say what a verb works on. */
export interface TargetFlags {
  readonly config?: string;
  readonly as?: string;
  readonly server?: string;
  readonly url?: string;
  readonly header?: readonly string[];
  readonly env?: readonly string[];
  readonly verbose?: boolean;
}

/**
 * Opens what the options name, has `work` done on it, and closes it with every process that it started: one server (`--server`, `--url`),
 * else the host of a configuration, as one of its agents. Throws a usage failure for options that do not go together, and whatever opening or
 * the work throws.
 */
export async function onTarget<T>(
  flags: TargetFlags,
  wanted: Wanted | undefined,
  surroundings: Surroundings,
  terminal: Terminal,
  work: (target: Target) => Promise<T>,
): Promise<T> {
  const target = await openTarget(flags, wanted, surroundings, terminal);
  try {
    return await work(target);
  } finally {
    await target.close();
  }
}

async function openTarget(
  flags: TargetFlags,
  wanted: Wanted | undefined,
  surroundings: Surroundings,
  terminal: Terminal,
): Promise<Target> {
  const bare = readBareServer(flags, surroundings.cwd);
  if (bare !== undefined) {
    const { openServerTarget } = await import('./server-target.ts');
    return openServerTarget(bare, { signal: surroundings.signal, onWarning: (message) => terminal.warn(message) });
  }
  const { configuration, file } = await loadConfiguration(flags.config, surroundings, terminal);
  const agent = actingAgent(configuration, flags.as, file);
  const logger = createLogger(flags.verbose === true ? 'info' : 'error', terminal);
  const { openHostTarget } = await import('./host-target.ts');
  return openHostTarget(configuration, agent, wanted, { logger, env: surroundings.env, cwd: surroundings.cwd });
}

/** Answers the one server that the options name, or `undefined` where they name none. */
export function readBareServer(flags: TargetFlags, cwd: string): BareServer | undefined {
  const { config, as, header = [], env = [] } = flags;
  if (flags.server !== undefined && flags.url !== undefined) throw usageFailure('Give --server or --url, not both.');
  const given = flags.url ?? flags.server;
  if (given === undefined) {
    if (header.length > 0)
      throw usageFailure('--header needs --url: the servers of a configuration have their own headers.');
    if (env.length > 0) throw usageFailure('--env needs --server: the servers of a configuration have their own env.');
    return undefined;
  }
  if (config !== undefined || as !== undefined) {
    const flag = config === undefined ? '--as' : '--config';
    throw usageFailure(
      `${flag} belongs to a configuration, and --server or --url reaches one server without it: leave one out.`,
    );
  }
  if (/^https?:\/\//i.test(given)) {
    if (env.length > 0) throw usageFailure('--env is for a server that is started; for a URL use --header.');
    if (!URL.canParse(given)) throw usageFailure(`${JSON.stringify(given)} is no URL. Write https://host/path.`);
    return { url: given, headers: Object.fromEntries(header.map(readHeader)) };
  }
  if (flags.url !== undefined)
    throw usageFailure(`--url must start with http:// or https://, not ${JSON.stringify(given)}.`);
  if (header.length > 0) throw usageFailure('--header is for a URL; for a server that is started use --env.');
  return { ...splitCommand(given), env: Object.fromEntries(env.map(readVariable)), cwd };
}

function readHeader(text: string): [string, string] {
  const colon = text.indexOf(':');
  const name = text.slice(0, Math.max(colon, 0)).trim();
  const value = text.slice(colon + 1).trim();
  if (isHeaderName(name) && isHeaderValue(value)) return [name, value];
  // The text may hold a token, so it is not repeated.
  throw usageFailure(`--header must be 'Name: value', such as 'Authorization: Bearer …'.`);
}

function readVariable(text: string): [string, string] {
  const equals = text.indexOf('=');
  if (equals > 0) return [text.slice(0, equals), text.slice(equals + 1)];
  throw usageFailure(`--env must be NAME=value, such as --env API_KEY=….`);
}

import type { HttpCredentials } from '@switchyard/client';
import { type Configuration, isHeaderName, isHeaderValue } from '@switchyard/config';
import { present } from '@switchyard/protocol';
import { actingAgent } from '../configuration/acting-agent.ts';
import { loadConfiguration } from '../configuration/load-configuration.ts';
import { exitCodes, extendFailure, Failure, usageFailure } from '../failure.ts';
import { createLogger } from '../logger.ts';
import { createStderrRelay } from '../present/stderr-relay.ts';
import { splitCommand } from '../arguments/split-command.ts';
import type { Surroundings } from '../surroundings.ts';
import type { Terminal } from '../terminal.ts';
import { explainLogin } from '../logins/explain-login.ts';
import { explainAsking } from './explain-asking.ts';
import { leadOn } from './lead-on.ts';
import { withoutApi } from './without-api.ts';
import type { InputFlags, OpenedInput } from '../ask/open-input.ts';
import type { Wanted } from './host-target.ts';
import type { BareServer } from './server-target.ts';
import type { Target } from './target.ts';

const HTTP = /^https?:\/\//i;
const SOCKET = /^(?:unix|pipe):\/\//i;
/** A host with a port or a path, as one types them into a browser. */
const NO_SCHEME = /^(?:[\w.-]+:\d{1,5}(?:[/?#]\S*)?|[\w-]+(?:\.[\w-]+)+\/\S*)$/;

/** The options that say what a verb works on. */
export interface TargetFlags extends InputFlags {
  readonly config?: string;
  readonly as?: string;
  readonly server?: string;
  readonly url?: string;
  readonly header?: readonly string[];
  readonly env?: readonly string[];
  readonly verbose?: boolean;
  /** How long a server may be silent on a request, in milliseconds. */
  readonly timeout?: number;
  /** How long a server may take to start, in milliseconds. */
  readonly startTimeout?: number;
}

/**
 * Opens what the options name, has `work` done on it, and closes it with every process that it started: one server
 * (`--server`, `--url`), else the host of a configuration, as one of its agents. Answers the exit code of the work.
 * What a server that was started by itself wrote to stderr is shown when the server answered with an error, and with
 * `--verbose`; of the servers of a configuration, with `--verbose`, as it comes. Throws a usage failure for options
 * that do not go together, and whatever opening or the work throws.
 */
export async function onTarget(
  flags: TargetFlags,
  wanted: Wanted | undefined,
  surroundings: Surroundings,
  terminal: Terminal,
  work: (target: Target) => Promise<number>,
): Promise<number> {
  const bare = readBareServer(flags, surroundings);
  if (bare === undefined && (flags.answers !== undefined || flags.root !== undefined))
    throw usageFailure(
      '--answers and --root are for one server: the servers of a configuration ask nobody. Add --url or --server.',
    );
  const { openInput } = await import('../ask/open-input.ts');
  const input = bare === undefined ? undefined : await openInput(flags, wanted, surroundings, terminal);
  const target = await openTarget(bare, flags, { wanted, input }, surroundings, terminal);
  let isTelling = flags.verbose === true;
  try {
    const exitCode = await work(target);
    isTelling ||= exitCode !== exitCodes.success;
    input?.finish();
    return exitCode;
  } catch (error) {
    isTelling ||= error instanceof Failure && error.kind === 'protocol';
    throw explain(error, flags, surroundings, { isStart: false });
  } finally {
    // Only then is everything read that the process wrote.
    await target.close();
    if (isTelling) terminal.quote('The server wrote to stderr:', target.lastWords());
  }
}

async function openTarget(
  bare: BareServer | undefined,
  flags: TargetFlags,
  { wanted, input }: { readonly wanted: Wanted | undefined; readonly input: OpenedInput | undefined },
  surroundings: Surroundings,
  terminal: Terminal,
): Promise<Target> {
  if (bare !== undefined) {
    const { openServerTarget } = await import('./server-target.ts');
    const credentials = await credentialsFor(bare, surroundings, terminal);
    const onWarning = (message: string): void => terminal.warn(withoutApi(message, { hasTimes: true }));
    try {
      return await openServerTarget(bare, {
        signal: surroundings.signal,
        onWarning,
        credentials,
        input: input?.handlers,
        timeoutMs: flags.timeout,
        startTimeoutMs: flags.startTimeout,
      });
    } catch (error) {
      throw explain(error, flags, surroundings, { isStart: true });
    }
  }
  const named = await loadConfiguration(flags.config, surroundings, terminal).catch((error: unknown) => {
    if (!(error instanceof Failure)) throw error;
    throw extendFailure(error, "\nTo reach one server without a configuration: --url URL or --server 'COMMAND …'");
  });
  const agent = actingAgent(named, flags.as);
  const logger = createLogger(flags.verbose === true ? 'info' : 'error', terminal);
  const { openHostTarget } = await import('./host-target.ts');
  return openHostTarget(withTimes(named.configuration, flags), agent, wanted, {
    logger,
    env: surroundings.env,
    cwd: surroundings.cwd,
    ...(flags.verbose === true ? { onServerStderr: createStderrRelay(terminal) } : {}),
  });
}

/** Says what to do where the failure itself cannot know it. */
function explain(
  error: unknown,
  flags: TargetFlags,
  surroundings: Surroundings,
  at: { readonly isStart: boolean },
): unknown {
  const given = flags.url ?? flags.server ?? '';
  const asked = explainAsking(error, given !== '');
  const explained = HTTP.test(given) && URL.canParse(given) ? explainLogin(asked, given, surroundings) : asked;
  return leadOn(explained, flags, surroundings, at);
}

/** The times of the command line hold for every server of the configuration. */
function withTimes(configuration: Configuration, { timeout, startTimeout }: TargetFlags): Configuration {
  const { limits, mcpServers } = configuration;
  const times = present({ callTimeoutMs: timeout, startTimeoutMs: startTimeout });
  const timed = Object.entries(mcpServers).map(([name, server]) => [
    name,
    timeout === undefined ? server : { ...server, timeoutMs: timeout },
  ]);
  return {
    ...configuration,
    limits: { ...limits, ...times },
    mcpServers: Object.fromEntries(timed) as Configuration['mcpServers'],
  };
}

/** Answers the stored login to a URL; headers and a user that were given by hand come first. */
async function credentialsFor(
  server: BareServer,
  surroundings: Surroundings,
  terminal: Terminal,
): Promise<HttpCredentials | undefined> {
  if (!('url' in server) || !mayUseLogin(server)) return undefined;
  const { findLoginCredentials } = await import('../logins/login-credentials.ts');
  try {
    return await findLoginCredentials(server.url, surroundings);
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'TokenStoreError') throw error;
    // A server that wants no token is reached all the same.
    terminal.warn(`The stored logins are not used: ${error.message}`);
    return undefined;
  }
}

/** Whether nothing that was given by hand says who calls a server on HTTP. */
export function mayUseLogin({ url, headers = {} }: { readonly url: string; readonly headers?: object }): boolean {
  const { username, password } = new URL(url);
  return username === '' && password === '' && !Object.keys(headers).some((name) => /^authorization$/i.test(name));
}

/** Answers the one server that the options name, or `undefined` where they name none. */
export function readBareServer(
  flags: TargetFlags,
  surroundings: Pick<Surroundings, 'cwd' | 'env'>,
): BareServer | undefined {
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
  if (HTTP.test(given) || SOCKET.test(given)) {
    if (env.length > 0) throw usageFailure('--env is for a server that is started; for a URL use --header.');
    if (!URL.canParse(given)) throw usageFailure(`${JSON.stringify(given)} is no URL. Write https://host/path.`);
    if (!hasReadableLogin(new URL(given)))
      throw usageFailure('The user and the password in the URL are not properly percent-encoded: a % is written %25.');
    return { url: given, headers: Object.fromEntries(header.map(readHeader)) };
  }
  if (NO_SCHEME.test(given) && (flags.url !== undefined || /:\d/.test(given)))
    throw usageFailure(
      `${JSON.stringify(given)} has no scheme: write http://${given}, or https:// where it is not this machine.`,
    );
  if (flags.url !== undefined)
    throw usageFailure(`--url must start with http://, https:// or unix://, not ${JSON.stringify(given)}.`);
  if (header.length > 0) throw usageFailure('--header is for a URL; for a server that is started use --env.');
  return {
    ...splitCommand(given),
    env: Object.fromEntries(env.map((text) => readVariable(text, surroundings.env))),
    cwd: surroundings.cwd,
  };
}

function readHeader(text: string): [string, string] {
  const colon = text.indexOf(':');
  const name = text.slice(0, Math.max(colon, 0)).trim();
  const value = text.slice(colon + 1).trim();
  if (isHeaderName(name) && isHeaderValue(value)) return [name, value];
  // The text may hold a token, so it is not repeated.
  throw usageFailure(`--header must be 'Name: value', such as 'Authorization: Bearer …'.`);
}

/** A name alone passes the variable of this process through. */
function readVariable(text: string, own: Surroundings['env']): [string, string] {
  const equals = text.indexOf('=');
  if (equals > 0) return [text.slice(0, equals), text.slice(equals + 1)];
  // A text that is no name may be a value, so it is not repeated.
  if (!/^[A-Za-z_]\w*$/.test(text))
    throw usageFailure('--env must be NAME=value, such as --env API_KEY=…, or NAME to pass a variable through.');
  const value = own[text];
  if (value === undefined) throw usageFailure(`--env ${text} passes a variable through, and it is not set here.`);
  return [text, value];
}

function hasReadableLogin({ username, password }: URL): boolean {
  try {
    return decodeURIComponent(username + password) !== undefined;
  } catch {
    // The caller says so without repeating it.
    return false;
  }
}

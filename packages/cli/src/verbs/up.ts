import { renderProblem } from '@switchyard/config';
import { anonymousAgent, listeningAddress, serveGateway, serveGatewayStdio } from '@switchyard/gateway';
import { type Agent, type Host, type Logger, openHost } from '@switchyard/host';
import { present } from '@switchyard/protocol';
import { assertAgents } from '../configuration/acting-agent.ts';
import { loadConfiguration, type NamedConfiguration } from '../configuration/load-configuration.ts';
import { exitCodes, Failure, usageFailure } from '../failure.ts';
import type { LogLevel } from '../log-level.ts';
import { createLogger } from '../logger.ts';
import { createStderrRelay } from '../present/stderr-relay.ts';
import { showServers } from '../present/show-gateway.ts';
import { suggestCall } from '../present/suggest-call.ts';
import type { Surroundings } from '../surroundings.ts';
import type { Terminal } from '../terminal.ts';

/** The options of `up`. */
export interface UpFlags {
  readonly config?: string;
  readonly as?: string;
  readonly host?: string;
  readonly port?: number;
  readonly stdio?: boolean;
  readonly verbose?: boolean;
  readonly logLevel?: LogLevel;
}

/** `switchyard up`: serves the host of a configuration as one MCP endpoint until the process is asked to end. */
export async function up(flags: UpFlags, surroundings: Surroundings, terminal: Terminal): Promise<number> {
  const isStdio = flags.stdio === true;
  if (isStdio && terminal.isJson)
    throw usageFailure('With --stdio, standard output belongs to the protocol: leave --json out.');
  if (isStdio && (flags.host !== undefined || flags.port !== undefined)) {
    throw usageFailure('--stdio listens on no port: leave --host and --port out.');
  }
  const named = await loadConfiguration(flags.config, surroundings, terminal);
  const { configuration } = named;
  // All is checked before any server is started.
  assertAgents(named);
  const agentName = located(named, flags, () => anonymousAgent(configuration, flags.as));
  if (!isStdio) located(named, flags, () => listeningAddress(configuration, flags));
  const logger = createLogger(flags.logLevel ?? (flags.verbose === true ? 'info' : 'warn'), terminal);

  const { signal, env, cwd } = surroundings;
  const host = await openHost(configuration, {
    exactIntegers: true,
    logger,
    env,
    cwd,
    ...(flags.verbose === true ? { onServerStderr: createStderrRelay(terminal) } : {}),
  });
  try {
    const serving = { agent: agentName, logger };
    if (isStdio) await onStdio(host, serving, signal);
    else await onHttp(host, { ...serving, ...present({ host: flags.host, port: flags.port }) }, surroundings, terminal);
  } finally {
    await host.close();
  }
  return exitCodes.success;
}

/** What both ways of serving need. */
interface Serving {
  readonly agent: string;
  readonly logger: Logger;
}

async function onStdio(host: Host, serving: Serving, signal: AbortSignal): Promise<void> {
  const running = await serveGatewayStdio(host, serving);
  await Promise.race([running.closed, aborted(signal)]);
  await running.close();
}

async function onHttp(
  host: Host,
  serving: Serving & Pick<UpFlags, 'host' | 'port'>,
  surroundings: Surroundings,
  terminal: Terminal,
): Promise<void> {
  const running = await serveGateway(host, serving);
  try {
    await announce(host, host.as(serving.agent), running.url, surroundings, terminal);
    await aborted(surroundings.signal);
    terminal.note('Ending.');
  } finally {
    await running.close();
  }
}

/** Says what is served, once every server has started or failed. */
async function announce(
  host: Host,
  agent: Agent,
  url: string,
  { signal, invocation }: Surroundings,
  terminal: Terminal,
): Promise<void> {
  terminal.note(`Listening on ${url} for agent "${agent.name}"; starting the servers …`);
  try {
    const { tools } = await agent.tools({ signal });
    const servers = host.servers();
    const reachable = Map.groupBy(tools, ({ server }) => server);
    const next = `${invocation} ${suggestCall(tools, url)}`;
    terminal.result(
      {
        url,
        agent: agent.name,
        servers: servers.map(({ leftOut: _leftOut, error, ...server }) => ({
          ...server,
          reachable: reachable.get(server.name)?.length ?? 0,
          ...(error === undefined ? {} : { error: error.message }),
        })),
      },
      () =>
        [
          '',
          `Endpoint  ${terminal.style('bold', url)}`,
          `Agent     ${agent.name}`,
          '',
          showServers(servers, reachable, terminal),
          '',
          'Try, in another terminal:',
          `  ${terminal.style('bold', next)}`,
          '',
          'Ctrl-C ends the gateway and every server.',
        ].join('\n'),
    );
  } catch (error) {
    // Asked to end while the servers were starting; the caller ends.
    if (!signal.aborted) throw error;
  }
}

/** The option that stands in for a key of `gateway`. */
function flagOf(key: string | number | undefined): 'as' | 'host' | undefined {
  if (key === 'anonymousAgent') return 'as';
  return key === 'host' ? 'host' : undefined;
}

/**
 * Runs a check of the configuration. What it throws gets the option that it is about, else the file and line of the
 * key.
 */
function located<T>({ file, positionOf }: NamedConfiguration, flags: UpFlags, check: () => T): T {
  try {
    return check();
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'GatewayError') throw error;
    const { path } = error as Error & { readonly path: readonly (string | number)[] };
    const flag = flagOf(path.at(-1));
    if (flag !== undefined && flags[flag] !== undefined)
      throw new Failure('configuration', `--${flag}: ${error.message}.`, { cause: error });
    const { line, column } = positionOf(path) ?? positionOf(path.slice(0, 1)) ?? { line: 0, column: 0 };
    const message = renderProblem({ file, line, column, path, message: error.message });
    throw new Failure('configuration', message, { cause: error });
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

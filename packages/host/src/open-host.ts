import { randomBytes } from 'node:crypto';
import {
  checkConfiguration,
  type Configuration,
  type ConfigurationInput,
  type Environment,
  type LoadedConfiguration,
  readConfiguration,
} from '@switchyard/config';
import { findLiteralCredential } from '@switchyard/guards';
import {
  assertKnownOptions,
  createSafeLogger,
  type KnownOptions,
  type Logger,
  type Responder,
  silentLogger,
} from '@switchyard/protocol';
import { openAuditLog } from './audit/audit-log.ts';
import { exposedServerName } from './catalog/exposed-name.ts';
import { createHost, type Host } from './host.ts';
import type { Surroundings } from './surroundings.ts';

/** How a host is opened. Everything that it takes from its process can be given instead. */
export interface OpenHostOptions extends Partial<Surroundings> {
  /** The folder that a relative path starts from. Default: the working directory. */
  readonly cwd?: string;
  /** Default: silent. What it throws is dropped. */
  readonly logger?: Logger;
  /** Servers in this process to mount beside the configured ones, by name. */
  readonly mount?: Readonly<Record<string, Responder>>;
  /**
   * `memory` keeps the audit in memory, for tests and experiments: it is lost at the end and holds 100,000 records.
   * Default: the configured file.
   */
  readonly audit?: 'memory';
  /**
   * Keeps integers beyond the range of a double digit for digit, as `bigint`, in arguments and results. Default: they
   * are rounded.
   */
  readonly exactIntegers?: boolean;
  /**
   * Gets each line that a started server writes to stderr, with the server's name, as it comes: without control
   * characters and secrets, at most 2,000 characters. Nothing limits how many there are. Default: they are shown with
   * failures only.
   */
  readonly onServerStderr?: (server: string, line: string) => void;
}

const openHostOptions: KnownOptions<OpenHostOptions> = {
  env: true,
  epochNow: true,
  now: true,
  after: true,
  randomBytes: true,
  cwd: true,
  logger: true,
  mount: true,
  audit: true,
  exactIntegers: true,
  onServerStderr: true,
};

/**
 * Opens a host from a configuration file, from a value in the shape of such a file, or from a checked configuration,
 * and begins to start its servers without waiting for them.
 *
 * Rejects with a `ConfigurationError` (nothing is started then) or a HostError `audit`, `invalid-policy`,
 * `invalid-name` or `duplicate-server`, and a TypeError for an option that there is not. The caller closes the host.
 */
export async function openHost(
  configuration: string | Configuration | ConfigurationInput,
  options: OpenHostOptions = {},
): Promise<Host> {
  assertKnownOptions('openHost', options, openHostOptions);
  const { mount = {}, exactIntegers = false, onServerStderr } = options;
  const logger = createSafeLogger(options.logger ?? silentLogger);
  const surroundings: Surroundings = {
    env: options.env ?? process.env,
    epochNow: options.epochNow ?? Date.now,
    now: options.now ?? (() => performance.now()),
    after: options.after ?? afterOnTimer,
    randomBytes: options.randomBytes ?? randomBytes,
  };
  const loaded = await load(configuration, surroundings.env, options);
  for (const problem of loaded.warnings) logger.warn({ problem }, problem.message);
  const { path, durability } = loaded.configuration.audit;
  const audit = await openAuditLog(options.audit ?? { path, durability }, surroundings);
  let host: Host | undefined;
  try {
    host = createHost({ ...loaded, audit, logger, surroundings, exactIntegers, onServerStderr });
    for (const [name, responder] of Object.entries(mount)) host.mount(name, responder);
    return host;
  } catch (error) {
    await (host === undefined ? audit.close() : host.close());
    throw error;
  }
}

async function load(
  given: string | Configuration | ConfigurationInput,
  env: Environment,
  { cwd = process.cwd(), mount = {} }: OpenHostOptions,
): Promise<Pick<LoadedConfiguration, 'configuration' | 'warnings'>> {
  const options = { env, mountedServers: Object.keys(mount), exposedServerName, findCredential: findLiteralCredential };
  if (typeof given === 'string') return readConfiguration(given, { ...options, cwd });
  if (isChecked(given)) return { configuration: given, warnings: [] };
  return checkConfiguration(given, { ...options, folder: cwd });
}

/** A checked configuration knows its folder, which no file can hold. */
function isChecked(given: Configuration | ConfigurationInput): given is Configuration {
  return 'folder' in given;
}

function afterOnTimer(delayMs: number, task: () => void): () => void {
  const timer = setTimeout(task, delayMs);
  return () => clearTimeout(timer);
}

import { dirname, isAbsolute, resolve } from 'node:path';
import { checkAgents } from './check-agents.ts';
import { checkServers, type ResolvedServer } from './check-servers.ts';
import { checkShape, type ConfigurationShape } from './check-shape.ts';
import type { AgentConfiguration, Configuration, ServerConfiguration } from './configuration.ts';
import { deepFreeze } from './deep-freeze.ts';
import { warnOfExposedState } from './exposed-state.ts';
import { formatOf, type ConfigurationFormat } from './format.ts';
import { warnOfIdleEntries } from './idle-entries.ts';
import type { FindCredential } from './literal-credential.ts';
import type { KeyPath, Position, Problem } from './problem.ts';
import { readJson } from './read-json.ts';
import { readValue } from './read-value.ts';
import { readYaml } from './read-yaml.ts';
import { createReport, type Report } from './report.ts';
import { childOf, createRecord, positionAt, type SourceNode } from './source-node.ts';
import type { Environment } from './template.ts';

/** The largest configuration that is read, in bytes of a file and in characters of a text. */
export const MAX_CONFIGURATION_BYTES = 1_048_576;

/** What every way into a configuration takes. */
export interface CheckOptions {
  /** Where `${NAME}` is looked up; a program passes `process.env`. */
  readonly env: Environment;
  /**
   * Looks for credentials that stand literally in command lines and URLs. Default: none, so only passwords in URLs are
   * found.
   */
  readonly findCredential?: FindCredential | undefined;
  /**
   * Ids of servers that code mounts beside those of the configuration, so that entries about them are no typing errors.
   */
  readonly mountedServers?: readonly string[] | undefined;
  /**
   * What the host puts before `__` in exposed names of a server; used for warnings only. Default: the id itself, and no
   * warnings about entries while some id holds more than ASCII letters, digits, `_` and `-`.
   */
  readonly exposedServerName?: ((serverId: string) => string) | undefined;
}

/** What {@link parseConfiguration} takes besides the text. */
export interface ParseOptions extends CheckOptions {
  /** The file that the text is of: named in problems; relative paths in the text start from its folder. */
  readonly path: string;
  /** The folder that a relative `path` starts from; absolute. */
  readonly cwd?: string | undefined;
  /** Default: by the ending of `path`. */
  readonly format?: ConfigurationFormat | undefined;
}

/** What {@link checkConfiguration} takes besides the value. */
export interface CheckValueOptions extends CheckOptions {
  /** The folder that relative paths in the value start from; absolute. */
  readonly folder: string;
}

/** A configuration that was read, with what deserves a look and where everything stands. */
export interface LoadedConfiguration {
  readonly configuration: Configuration;
  /** In the order of the text; empty most of the time. */
  readonly warnings: readonly Problem[];
  /** Where the key or list item at a path stands in the text; undefined for what the text does not hold. */
  positionOf(path: KeyPath): Position | undefined;
}

/**
 * Reads the text of a configuration, without touching any file.
 *
 * Every problem is collected before it throws, but syntax errors end the work early. Bounds: 1 MiB, 64 levels, 100,000
 * values with aliases written out.
 *
 * @throws {ConfigurationError} for anything that is wrong with the text or with what it refers to.
 */
export function parseConfiguration(text: string, options: ParseOptions): LoadedConfiguration {
  const report = createReport(options.path);
  if (!isAbsolute(options.path) && (options.cwd === undefined || !isAbsolute(options.cwd))) {
    report.refuse(
      { line: 0, column: 0 },
      [],
      'the path is relative',
      'pass an absolute path, or an absolute cwd with it',
    );
    throw report.error();
  }
  const folder = dirname(resolve(options.cwd ?? '/', options.path));
  const root = readText(text, options, report);
  return finish(root, folder, options, report);
}

/**
 * Checks a value that a program built in the shape of the file ({@link ConfigurationInput}); variables in it are
 * replaced as in a file. Its problems have no positions.
 *
 * @throws {ConfigurationError} as {@link parseConfiguration} does.
 */
export function checkConfiguration(value: unknown, options: CheckValueOptions): LoadedConfiguration {
  const report = createReport('configuration');
  if (!isAbsolute(options.folder)) {
    report.refuse({ line: 0, column: 0 }, [], 'the option folder is relative', 'pass an absolute path');
    throw report.error();
  }
  return finish(readValue(value, report), options.folder, options, report);
}

function readText(text: string, { path, format }: ParseOptions, report: Report): SourceNode | undefined {
  const start = { line: 1, column: 1 };
  const read = format ?? formatOf(path);
  if (read === undefined) {
    report.refuse(
      { line: 0, column: 0 },
      [],
      'the name ends in none of .yaml, .yml, .json and .jsonc',
      'rename the file',
    );
    return undefined;
  }
  if (text.length > MAX_CONFIGURATION_BYTES) {
    report.refuse(start, [], `the file is larger than ${MAX_CONFIGURATION_BYTES} bytes`);
    return undefined;
  }
  // Editors on Windows like to put a byte order mark there; it is no part of the first line.
  const content = text.startsWith('\uFEFF') ? text.slice(1) : text;
  const root =
    content.trim() === ''
      ? undefined
      : read === 'yaml'
        ? readYaml(content, report)
        : readJson(content, read === 'jsonc', report);
  const holdsNothing = root === undefined || (root.kind === 'scalar' && root.value === null);
  if (!holdsNothing || report.refused) return root;
  report.refuse(root?.at ?? start, [], 'the file holds no configuration', 'start with mcpServers: and one server');
  return undefined;
}

function finish(
  root: SourceNode | undefined,
  folder: string,
  options: CheckOptions,
  report: Report,
): LoadedConfiguration {
  if (root === undefined) throw report.error();
  const shape = checkShape(root, report);
  const { env, findCredential, mountedServers = [], exposedServerName } = options;
  const { servers, disabledServers } = checkServers(childOf(root, 'mcpServers'), {
    folder,
    env,
    findCredential,
    report,
  });
  checkAgents(root, report);
  if (report.refused || shape === undefined) throw report.error();
  warnOfIdleEntries(root, { mountedServers, exposedServerName, report });

  const configuration = deepFreeze(assemble(shape, servers, disabledServers, folder));
  warnOfExposedState(root, configuration, report);
  return Object.freeze({
    configuration,
    warnings: report.warnings(),
    positionOf: (path: KeyPath) => positionAt(root, path),
  });
}

function assemble(
  shape: ConfigurationShape,
  servers: ReadonlyMap<string, ResolvedServer>,
  disabledServers: readonly string[],
  folder: string,
): Configuration {
  const { agents, gateway, limits, audit } = shape;
  const mcpServers = createRecord<ServerConfiguration>();
  for (const [id, server] of servers) {
    mcpServers[id] = { ...server, timeoutMs: server.timeoutMs ?? limits.callTimeoutMs };
  }
  return {
    folder,
    mcpServers,
    disabledServers,
    agents: Object.assign(createRecord<AgentConfiguration>(), agents),
    gateway: { ...gateway },
    limits: { ...limits },
    audit: { ...audit, path: resolve(folder, audit.path) },
  };
}

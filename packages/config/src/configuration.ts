import type { configurationSchema } from './configuration-schema.ts';
import type { Checked, Written } from './schema-type.ts';

/** What may be written in a configuration: the type of the file's content before it is checked. */
export type ConfigurationInput = Written<typeof configurationSchema>;

/**
 * A checked configuration: defaults filled in, variables replaced, paths absolute, frozen all the way down.
 *
 * It has the shape of the file. Records with keys of the user's choice (servers, agents, env, headers) have no
 * prototype and keep the order of the file.
 */
export interface Configuration {
  /** The folder that relative paths of the file started from. */
  readonly folder: string;
  /** The servers to reach, by id; those with `disabled: true` are not among them. */
  readonly mcpServers: Readonly<Record<string, ServerConfiguration>>;
  /** The ids of the servers with `disabled: true`. */
  readonly disabledServers: readonly string[];
  readonly agents: Readonly<Record<string, AgentConfiguration>>;
  readonly gateway: GatewayConfiguration;
  readonly limits: LimitsConfiguration;
  readonly audit: AuditConfiguration;
}

/** One server to reach. `type` tells the two kinds apart, whether or not the file gave it. */
export type ServerConfiguration = StdioServerConfiguration | HttpServerConfiguration;

/** A program to start and to speak to over its standard streams. */
export interface StdioServerConfiguration {
  readonly type: 'stdio';
  readonly command: string;
  readonly args: readonly string[];
  /** Variables on top of the minimal environment that a child gets. */
  readonly env: Readonly<Record<string, string>>;
  /** Absolute; the configuration's folder where the file gave none. */
  readonly cwd: string;
  /** The server's own value, or `limits.callTimeoutMs`. */
  readonly timeoutMs: number;
}

/** A remote server, spoken to over Streamable HTTP. */
export interface HttpServerConfiguration {
  readonly type: 'http';
  /** An absolute http or https URL, as written but for its variables. */
  readonly url: string;
  /** Names as written; no two are equal but for case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The server's own value, or `limits.callTimeoutMs`. */
  readonly timeoutMs: number;
}

type Sections = Checked<typeof configurationSchema>;

/**
 * Who may use what: lists of access entries, each `[tool:|resource:|prompt:]pattern` with `*` for any characters (no
 * prefix means tool). Tools and prompts match as `server__name`, resources as `server:uri`. See {@link
 * parseAccessEntry}.
 */
export type AgentConfiguration = Sections['agents'][string];

/** Where the gateway listens, which pages and host names it answers, and who an unauthenticated caller is. */
export type GatewayConfiguration = Sections['gateway'];

/** Bounds on time, sizes and concurrency for every server and caller. */
export type LimitsConfiguration = Sections['limits'];

/** Where the audit record is kept (`path` is absolute) and what it survives. */
export type AuditConfiguration = Sections['audit'];

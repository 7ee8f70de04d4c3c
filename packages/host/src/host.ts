import { type Configuration, noSuchAgent, type Problem, problemOfName } from '@switchyard/config';
import { assertKnownOptions, type Logger, type Principal, type Responder } from '@switchyard/protocol';
import { type Agent, createAgent } from './agent.ts';
import type { Audit } from './audit/audit.ts';
import type { AuditLog } from './audit/audit-log.ts';
import type { Call } from './call/call.ts';
import type { Outcome } from './call/outcome.ts';
import { createCallIds } from './call/call-id.ts';
import { createPipeline } from './call/pipeline.ts';
import { createDirectory } from './catalog/directory.ts';
import { HostError } from './host-error.ts';
import { type AgentPolicy, createAgentPolicy } from './policy/agent-policy.ts';
import { createUnmatchedWarnings } from './policy/unmatched-warnings.ts';
import type { Surroundings } from './surroundings.ts';
import { createServerUpstreams } from './upstream/server-upstream.ts';
import type { ServerStatus, Upstream } from './upstream/upstream.ts';

/** Many MCP servers behind one governed path. */
export interface Host extends AsyncDisposable {
  readonly configuration: Configuration;
  /** What deserves a look in the configuration, such as a credential that stands in a command line. */
  readonly warnings: readonly Problem[];
  /** The names of all agents. */
  readonly agents: readonly string[];
  /**
   * Puts a server in this process beside the configured ones, under the same rules. Throws HostError
   * `duplicate-server`, `invalid-name` or `closed`. The responder is not closed with the host.
   */
  mount(name: string, responder: Responder): void;
  /** What is known of every server, by name. Asks nobody. */
  servers(): readonly ServerStatus[];
  /**
   * Answers the host as an agent may use it. `principal` is the authenticated caller on whose behalf it acts, for the
   * audit. Throws HostError `unknown-agent`, which names those that exist, or `closed`.
   */
  as(agent: string, options?: { readonly principal?: Principal }): Agent;
  /** The record of every call. */
  readonly audit: Audit;
  /**
   * Ends all servers, waits for the outcomes of the calls that ran, then closes the audit. A second call is the same
   * call.
   */
  close(): Promise<void>;
}

/** What a host is made of. */
export interface HostParts {
  readonly configuration: Configuration;
  readonly warnings: readonly Problem[];
  readonly audit: AuditLog;
  readonly logger: Logger;
  readonly surroundings: Surroundings;
  readonly exactIntegers: boolean;
  readonly onServerStderr?: ((server: string, line: string) => void) | undefined;
}

/** Creates a host and begins to start its servers; it waits for none of them. */
export function createHost(parts: HostParts): Host {
  const { configuration, warnings, audit, logger, surroundings } = parts;
  const { mcpServers, disabledServers, agents, limits } = configuration;
  const directory = createDirectory();
  const createUpstream = createServerUpstreams({ ...parts, limits });
  const pipeline = createPipeline({ ...parts, directory, limits });
  const newId = createCallIds(surroundings.randomBytes);
  const policies = new Map<string, AgentPolicy>();
  const warnOfUnmatchedEntries = createUnmatchedWarnings(directory, logger);
  const running = new Set<Promise<Outcome>>();
  let closing: Promise<void> | undefined;

  for (const [name, server] of Object.entries(mcpServers)) directory.add(createUpstream(name, server));
  // All agents' policies are compiled before anything is started, so that a broken one is an error of the start.
  for (const agent of Object.keys(agents)) policyOf(agent);
  for (const upstream of directory.upstreams()) start(upstream);

  return {
    configuration,
    warnings,
    agents: Object.keys(agents),
    mount(name, responder) {
      assertOpen();
      const problem = problemOfName(name);
      if (problem !== undefined)
        throw new HostError('invalid-name', `the server name ${JSON.stringify(name)} ${problem}`);
      if (directory.upstream(name) !== undefined || disabledServers.includes(name)) {
        throw new HostError(
          'duplicate-server',
          `there is a server called "${name}" already: mount it under another name`,
        );
      }
      // A policy may name the new server.
      policies.clear();
      const upstream = createUpstream(name, { responder });
      directory.add(upstream);
      start(upstream);
    },
    servers() {
      const disabled = disabledServers.map((name): ServerStatus => ({ name, state: 'disabled' }));
      return [...directory.upstreams().map((upstream) => upstream.status()), ...disabled].toSorted(byName);
    },
    as(name, options = {}) {
      assertOpen();
      assertKnownOptions('host.as', options, { principal: true });
      policyOf(name);
      const { principal } = options;
      return createAgent({
        name,
        directory,
        policy: () => policyOf(name),
        onListed: () => warnOfUnmatchedEntries(name, policyOf(name)),
        run: (agent, operation, callOptions) =>
          run({ id: newId(), agent, principal, operation, options: callOptions, startedAt: surroundings.now() }),
      });
    },
    audit: { list: audit.list, verify: audit.verify },
    close,
    [Symbol.asyncDispose]: close,
  };

  /** Starts a server in the background; a failure shows in its status. */
  function start(upstream: Upstream): void {
    void upstream.refresh();
  }

  function policyOf(name: string): AgentPolicy {
    const known = policies.get(name);
    if (known !== undefined) return known;
    const lists = Object.hasOwn(agents, name) ? agents[name] : undefined;
    if (lists === undefined) throw new HostError('unknown-agent', noSuchAgent(agents, name));
    const servers = [...directory.upstreams().map((upstream) => upstream.name), ...disabledServers];
    const policy = createAgentPolicy(name, lists, servers);
    policies.set(name, policy);
    return policy;
  }

  async function run(call: Call): Promise<Outcome> {
    if (closing !== undefined)
      return { kind: 'refused', verdict: { reason: 'unavailable', message: 'The host is closed.' } };
    const outcome = pipeline(call);
    running.add(outcome);
    try {
      return await outcome;
    } finally {
      running.delete(outcome);
    }
  }

  function assertOpen(): void {
    if (closing !== undefined) throw new HostError('closed', 'the host is closed');
  }

  function close(): Promise<void> {
    closing ??= closeOnce();
    return closing;
  }

  async function closeOnce(): Promise<void> {
    await Promise.all(directory.upstreams().map((upstream) => upstream.close()));
    await Promise.all(running);
    try {
      await audit.close();
    } catch (error) {
      logger.error({ err: error }, 'the audit could not be closed');
    }
  }
}

function byName(first: ServerStatus, second: ServerStatus): number {
  return first.name < second.name ? -1 : first.name > second.name ? 1 : 0;
}

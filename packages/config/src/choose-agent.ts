import type { Configuration } from './configuration.ts';

/**
 * The agent that somebody is, or why that cannot be said: `unknown` where there is no such agent, `unsaid` where
 * nothing names one.
 */
export type AgentChoice =
  { readonly agent: string } | { readonly problem: 'unknown' | 'unsaid'; readonly message: string };

/** How an agent is chosen. */
export interface AgentChoosing {
  /** The name that was asked for; it wins over the configuration. */
  readonly given?: string | undefined;
  /**
   * Whether the only agent is meant where nothing names one. Default false: who serves strangers says so on purpose.
   */
  readonly orTheOnlyOne?: boolean;
}

/**
 * Answers which agent a caller is that nobody authenticated: the given one, else `gateway.anonymousAgent`, else, where
 * that is wanted, the only one. The message of a problem is a clause without a full stop that names the agents that
 * exist.
 */
export function chooseAgent(
  { agents, gateway }: Pick<Configuration, 'agents' | 'gateway'>,
  { given, orTheOnlyOne = false }: AgentChoosing = {},
): AgentChoice {
  const names = Object.keys(agents);
  const [only, ...others] = names;
  const agent = given ?? gateway.anonymousAgent ?? (orTheOnlyOne && others.length === 0 ? only : undefined);
  if (agent === undefined) {
    return { problem: 'unsaid', message: `nothing says which agent the caller is; ${listed(names)}` };
  }
  return Object.hasOwn(agents, agent) ? { agent } : { problem: 'unknown', message: noSuchAgent(agents, agent) };
}

/** Answers a clause that says that an agent does not exist and names those that do. */
export function noSuchAgent(agents: Configuration['agents'], agent: string): string {
  return `there is no agent ${JSON.stringify(agent)}; ${listed(Object.keys(agents))}`;
}

function listed(names: readonly string[]): string {
  return names.length === 0 ? 'none is configured' : `agents are: ${names.join(', ')}`;
}

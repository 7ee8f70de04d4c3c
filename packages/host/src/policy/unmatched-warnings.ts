import type { AgentView } from '../catalog/agent-view.ts';
import type { Directory } from '../catalog/directory.ts';
import type { Logger } from '../logger.ts';
import type { AgentPolicy } from './agent-policy.ts';
import { findUnmatchedEntries } from './unmatched-entries.ts';

/**
 * Creates the function that warns of an agent's unmatched access entries, each once. It looks again only when what is known
 * of the servers has changed, and not at what it has warned of, because looking at a long list takes long.
 */
export function createUnmatchedWarnings(
  directory: Directory,
  logger: Logger,
): (agent: string, policy: AgentPolicy) => void {
  const looked = new WeakSet<AgentView>();
  const warned = new Set<string>();
  return (agent, policy) => {
    const view = directory.viewOf(policy);
    if (looked.has(view)) return;
    looked.add(view);
    const unnamed = policy.rules.filter(({ effect, index }) => !warned.has(keyOf([agent, effect, index])));
    for (const { path, message, suggestion } of findUnmatchedEntries(agent, unnamed, directory.upstreams())) {
      warned.add(keyOf(path.slice(1)));
      logger.warn({ agent, path }, suggestion === undefined ? message : `${message}; ${suggestion}`);
    }
  };
}

function keyOf(place: readonly (string | number)[]): string {
  return JSON.stringify(place);
}

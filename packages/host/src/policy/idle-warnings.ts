import type { AgentView } from '../catalog/agent-view.ts';
import type { Directory } from '../catalog/directory.ts';
import type { Logger } from '../logger.ts';
import type { AgentPolicy } from './agent-policy.ts';
import { findIdleEntries } from './idle-entries.ts';

/**
 * Creates the function that warns of an agent's idle access entries, each once. It looks again only when what is known
 * of the servers has changed.
 */
export function createIdleWarnings(directory: Directory, logger: Logger): (agent: string, policy: AgentPolicy) => void {
  const looked = new WeakSet<AgentView>();
  const warned = new Set<string>();
  return (agent, policy) => {
    const view = directory.viewOf(policy);
    if (looked.has(view)) return;
    looked.add(view);
    for (const { path, message, suggestion } of findIdleEntries(agent, policy.rules, directory.upstreams())) {
      const key = JSON.stringify(path);
      if (warned.has(key)) continue;
      warned.add(key);
      logger.warn({ agent, path }, suggestion === undefined ? message : `${message}; ${suggestion}`);
    }
  };
}

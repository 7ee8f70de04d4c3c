import type { Logger } from '@switchyard/protocol';
import { findUnmatchedEntries, type KnownServer } from './unmatched-entries.ts';
import type { AccessRule } from './short-form.ts';

/** The part of a directory that is looked at. */
interface KnownServers<P> {
  /** Answers the same view for as long as nothing has changed. */
  viewOf(policy: P): object;
  upstreams(): readonly KnownServer[];
}

/**
 * Creates the function that warns of an agent's unmatched access entries, each once. It looks again only when what is
 * known of the servers has changed, and not at what it has warned of, because looking at a long list takes long.
 */
export function createUnmatchedWarnings<P extends { readonly rules: readonly AccessRule[] }>(
  directory: KnownServers<P>,
  logger: Logger,
): (agent: string, policy: P) => void {
  const looked = new WeakSet<object>();
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

import type { AgentPolicy } from '../policy/agent-policy.ts';
import type { Upstream } from '../upstream/upstream.ts';
import { type AgentView, createAgentView, type Sight } from './agent-view.ts';
import type { ServerCatalog } from './server-catalog.ts';

/** All servers of a host, and what they offer together. */
export interface Directory {
  /** All servers, sorted by configured name. */
  upstreams(): readonly Upstream[];
  upstream(name: string): Upstream | undefined;
  add(upstream: Upstream): void;
  /** The catalog of whoever has this policy, from what is known now. */
  viewOf(policy: AgentPolicy): AgentView;
  /** Everything, whoever may see it. */
  whole(): AgentView;
}

interface Kept {
  readonly catalogs: readonly (ServerCatalog | undefined)[];
  readonly view: AgentView;
}

const everything: Sight = { permits: () => true, couldReach: () => true };

/** Creates the directory of a host. A view is made once for each policy and made again when a server's catalog changed. */
export function createDirectory(): Directory {
  const upstreams = new Map<string, Upstream>();
  const views = new WeakMap<object, Kept>();

  function viewThrough(owner: object, sight: Sight): AgentView {
    const all = sorted();
    const kept = views.get(owner);
    const isCurrent =
      kept?.catalogs.length === all.length && all.every(({ catalog }, index) => catalog === kept.catalogs[index]);
    if (isCurrent && kept !== undefined) return kept.view;
    const view = createAgentView(all, sight);
    views.set(owner, { catalogs: all.map(({ catalog }) => catalog), view });
    return view;
  }

  function sorted(): Upstream[] {
    return [...upstreams.values()].toSorted((first, second) => (first.name < second.name ? -1 : 1));
  }

  return {
    upstreams: sorted,
    upstream: (name) => upstreams.get(name),
    add(upstream) {
      upstreams.set(upstream.name, upstream);
    },
    viewOf: (policy) =>
      viewThrough(policy, {
        permits: (governed) => policy.decide(governed).effect !== 'deny',
        couldReach: policy.couldReach,
      }),
    whole: () => viewThrough(everything, everything),
  };
}

import { untilAborted } from '@switchyard/client';
import type { AgentPolicy } from '../policy/agent-policy.ts';
import { type GovernedKind, governedGlob } from '../policy/governed.ts';
import type { Upstream } from '../upstream/upstream.ts';
import { type AgentView, createAgentView, type Sight } from './agent-view.ts';
import { mayOffer } from './may-offer.ts';
import { isQualified } from './resource-address.ts';
import type { ServerCatalog } from './server-catalog.ts';

/** A list that is younger is not read again for a name that nobody knows, so that guessing costs servers little. */
const MIN_AGE_MS = 1000;

/** All servers of a host, and what they offer together. */
export interface Directory {
  /** All servers, sorted by configured name; the same array until one is added. */
  upstreams(): readonly Upstream[];
  upstream(name: string): Upstream | undefined;
  /**
   * The server that what an exposed name or a URI says belongs to by its form alone, whether or not it is there;
   * `undefined` for a URI that anybody could have.
   */
  ownerOf(kind: GovernedKind, subject: string): Upstream | undefined;
  /**
   * Whether a server that starts, and that the policy could reach, may come to have what a URI says. What is found
   * before it has said what it has would otherwise be whoever's is up first.
   */
  isOpen(policy: AgentPolicy, kind: GovernedKind, subject: string): boolean;
  add(upstream: Upstream): void;
  /** The servers of which a policy might permit something of a kind, sorted by name. */
  reachable(policy: AgentPolicy, kind: GovernedKind): readonly Upstream[];
  /**
   * Has the servers that a policy could reach and that may have what an exposed name or URI says bring their catalogs
   * up to date, and answers them. Of a URI that anybody could have, the other servers are asked, too, where they never
   * said what they have, so that what is denied can be told from what does not exist. Rejects only with the reason of
   * `signal`.
   */
  ask(
    policy: AgentPolicy,
    kind: GovernedKind,
    subject: string,
    signal: AbortSignal | undefined,
  ): Promise<readonly Upstream[]>;
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

/**
 * Creates the directory of a host. A view is made once for each policy and made again when a server's catalog changed.
 */
export function createDirectory(): Directory {
  const byName = new Map<string, Upstream>();
  let sorted: readonly Upstream[] = [];
  const views = new WeakMap<object, Kept>();

  function viewThrough(owner: object, sight: Sight): AgentView {
    const kept = views.get(owner);
    const isCurrent =
      kept?.catalogs.length === sorted.length && sorted.every(({ catalog }, index) => catalog === kept.catalogs[index]);
    if (isCurrent && kept !== undefined) return kept.view;
    const view = createAgentView(sorted, sight);
    views.set(owner, { catalogs: sorted.map(({ catalog }) => catalog), view });
    return view;
  }

  return {
    upstreams: () => sorted,
    upstream: (name) => byName.get(name),
    ownerOf: (kind, subject) =>
      kind === 'resource' && !isQualified(subject)
        ? undefined
        : sorted.find(({ name }) => mayOffer(name, kind, subject)),
    add(upstream) {
      byName.set(upstream.name, upstream);
      sorted = [...byName.values()].toSorted((first, second) => (first.name < second.name ? -1 : 1));
    },
    isOpen(policy, kind, subject) {
      if (kind !== 'resource' || isQualified(subject)) return false;
      const starting = sorted.filter(
        ({ catalog, unavailability }) => catalog === undefined && unavailability === undefined,
      );
      return starting.some(({ name }) => policy.couldReach(kind, governedGlob(kind, name)));
    },
    reachable: (policy, kind) => sorted.filter(({ name }) => policy.couldReach(kind, governedGlob(kind, name))),
    async ask(policy, kind, subject, signal) {
      const able = sorted.filter(({ name }) => mayOffer(name, kind, subject));
      const reachable = able.filter(({ name }) => policy.couldReach(kind, governedGlob(kind, name)));
      // A name that says whose it is asks nobody out of reach: how long that takes would tell who is there.
      const isAnybodys = kind === 'resource' && !isQualified(subject);
      const asked = isAnybodys
        ? able.filter((upstream) => upstream.catalog === undefined || reachable.includes(upstream))
        : reachable;
      await untilAborted(signal, Promise.all(asked.map((upstream) => upstream.refresh({ minAgeMs: MIN_AGE_MS }))));
      return reachable;
    },
    viewOf: (policy) =>
      viewThrough(policy, {
        permits: (governed) => policy.decide(governed).effect !== 'deny',
        couldReach: policy.couldReach,
      }),
    whole: () => viewThrough(everything, everything),
  };
}

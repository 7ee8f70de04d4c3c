import type { CacheHints, ChangingList, Implementation } from '@switchyard/protocol';

import { type Catalog, createCatalog, type Definitions, type OfferedExtensions } from '../catalog/catalog.ts';
import type { ChangeHub } from '../subscriptions/change-hub.ts';
import { definitionsOf, hintsOf } from './definitions-of.ts';
import type { Part } from './part.ts';

/** What a part is made of. */
export interface PartSource {
  readonly info: Implementation;
  readonly hints: CacheHints;
  readonly pageSize: number;
  /** Told of whatever changes in what the part serves. */
  readonly changes: ChangeHub;
  /** Answers what is offered with these definitions; `before` is what was with those that they replace. */
  offeredExtensions(definitions: Definitions, before: OfferedExtensions): OfferedExtensions;
}

/** Makes the part that a server is, which defines nothing yet. */
export function createPart({ info, hints, pageSize, changes, offeredExtensions }: PartSource): Part {
  let snapshot: Catalog | undefined;
  let offered: OfferedExtensions = {};
  const changed = new Set<ChangingList>();

  /** Once whatever else the author changes in one go is done. */
  function tell(): void {
    const told = [...changed];
    changed.clear();
    for (const list of told) changes.announce({ list });
  }

  function render(): Catalog {
    const definitions = definitionsOf(part);
    offered = offeredExtensions(definitions, offered);
    return createCatalog(definitions, { hints: hintsOf(part), pageSize, extensions: offered });
  }

  const part: Part = {
    name: info.name,
    definitions: { info, tools: new Map(), resources: new Map(), templates: new Map(), prompts: new Map() },
    hints,
    pageSize,
    interceptors: [],
    mounts: [],
    places: [],
    isSettled: false,
    catalog: () => (snapshot ??= render()),
    changed(list) {
      snapshot = undefined;
      if (changed.size === 0) queueMicrotask(tell);
      changed.add(list);
      for (const { host } of part.places) host.changed(list);
    },
    updated(uri) {
      changes.announce({ uri });
      for (const { host } of part.places) host.updated(uri);
    },
  };
  return part;
}

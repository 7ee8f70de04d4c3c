import type { CacheHints } from '@switchyard/protocol';

import type { Definitions } from '../catalog/catalog.ts';
import { exposedKey } from './exposed-key.ts';
import type { Mount, Part } from './part.ts';

/**
 * Answers everything that a server serves: its own definitions and those of what is mounted in it, leaving out the
 * mounts in `without`.
 */
export function definitionsOf(part: Part, without?: ReadonlySet<Mount>): Definitions {
  const { info, ...own } = part.definitions;
  if (part.mounts.length === 0) return part.definitions;
  const tools = new Map(own.tools);
  const resources = new Map(own.resources);
  const templates = new Map(own.templates);
  const prompts = new Map(own.prompts);
  for (const mount of part.mounts) {
    if (without?.has(mount) === true) continue;
    const inner = definitionsOf(mount.part);
    for (const [name, tool] of inner.tools) add(tools, exposedKey(mount.prefix, 'tools', name), mount, tool);
    for (const [name, prompt] of inner.prompts) add(prompts, exposedKey(mount.prefix, 'prompts', name), mount, prompt);
    for (const [uri, resource] of inner.resources) resources.set(uri, resource);
    for (const [uriTemplate, template] of inner.templates) templates.set(uriTemplate, template);
  }
  return { info, tools, resources, templates, prompts };
}

/** Answers how fresh the lists of a server are: as much as the least fresh of what they are made of. */
export function hintsOf(part: Part): CacheHints {
  return leastFresh([part.hints, ...part.mounts.map((mount) => hintsOf(mount.part))]);
}

/** Answers the hints of what is made of several results. There must be at least one. */
export function leastFresh(hints: readonly CacheHints[]): CacheHints {
  return {
    ttlMs: Math.min(...hints.map(({ ttlMs }) => ttlMs)),
    cacheScope: hints.every(({ cacheScope }) => cacheScope === 'public') ? 'public' : 'private',
  };
}

function add<T extends { readonly listed: { readonly name: string } }>(
  entries: Map<string, T>,
  name: string,
  mount: Mount,
  entry: T,
): void {
  let renamed = mount.renamed.get(entry) as T | undefined;
  if (renamed === undefined) {
    renamed = { ...entry, listed: { ...entry.listed, name } };
    mount.renamed.set(entry, renamed);
  }
  entries.set(name, renamed);
}

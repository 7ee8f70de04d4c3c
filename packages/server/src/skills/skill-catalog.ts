import type { Skill } from '@switchyard/protocol';

import type { Catalog } from '../catalog/catalog.ts';
import { Serialised } from '../dispatch/endpoint.ts';
import { createListPages, type ListPages } from '../catalog/list-pages.ts';

/** Most skills on one page: each lists its files. */
const MAX_PAGE = 20;
const DIRECTORY = 'inode/directory';

/** The skills of a snapshot. */
export interface SkillCatalog {
  /** Answers a page of `skills/list`. */
  page(cursor: string | undefined): Serialised;
  /** Answers the entry under the URI of a `SKILL.md`. */
  get(uri: string): Serialised | undefined;
  /** Answers a page of what stands in a directory of a skill, or `undefined` when there is no such directory. */
  directory(uri: string, cursor: string | undefined): Serialised | undefined;
}

/** Makes the skills of a snapshot out of its resources. What a request needs is made when one comes. */
export function createSkillCatalog({
  resources,
  hints,
  pageSize,
}: Pick<Catalog, 'resources' | 'hints' | 'pageSize'>): SkillCatalog {
  const skills = new Map<string, Skill>();
  for (const [uri, { skill }] of resources) if (skill !== undefined) skills.set(uri, skill);
  const hintsJson = JSON.stringify(hints).slice(1, -1);
  let pages: ListPages | undefined;
  let directories: Map<string, ListPages> | undefined;

  function readDirectories(): Map<string, ListPages> {
    const children = new Map<string, Map<string, object>>();
    for (const skill of skills.values()) {
      for (const { uri } of skill.resources as Exclude<Skill['resources'], 'dynamic'>) {
        const file = resources.get(uri);
        if (file !== undefined) addToDirectories(children, uri, file.listed);
      }
    }
    return new Map(
      [...children].map(([uri, entries]) => [
        uri,
        createListPages(
          'resources/directory/read',
          [...entries.values()] as readonly { readonly uri: string }[],
          hints,
          pageSize,
        ),
      ]),
    );
  }

  return {
    page(cursor) {
      pages ??= createListPages('skills/list', [...skills.values()], hints, Math.min(pageSize, MAX_PAGE));
      return pages.page(cursor);
    },
    get(uri) {
      const skill = skills.get(uri);
      return skill === undefined ? undefined : new Serialised(`{"skill":${JSON.stringify(skill)},${hintsJson}}`);
    },
    directory(uri, cursor) {
      directories ??= readDirectories();
      return directories.get(uri.endsWith('/') ? uri.slice(0, -1) : uri)?.page(cursor);
    },
  };
}

/** Enters a file into its directory, and each directory into the one above it, up to the first segment. */
function addToDirectories(children: Map<string, Map<string, object>>, uri: string, file: object): void {
  const start = uri.indexOf('://') + 3;
  let entry: { readonly uri: string; readonly listed: object } = { uri, listed: file };
  for (let end = uri.lastIndexOf('/'); end > start; end = uri.lastIndexOf('/', end - 1)) {
    const directory = uri.slice(0, end);
    const known = children.get(directory);
    if (known === undefined) children.set(directory, new Map([[entry.uri, entry.listed]]));
    else known.set(entry.uri, entry.listed);
    const name = decodeURIComponent(directory.slice(directory.lastIndexOf('/') + 1));
    entry = { uri: directory, listed: { uri: directory, name, mimeType: DIRECTORY } };
  }
}

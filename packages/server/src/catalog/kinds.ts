import { type ChangingList, methods } from '@switchyard/protocol';

/** What a server defines: what an entry is called in errors, and the method that lists the entries. */
export const kinds = {
  tools: { called: 'tool', method: 'tools/list' },
  resources: { called: 'resource', method: 'resources/list' },
  templates: { called: 'resource template', method: 'resources/templates/list' },
  prompts: { called: 'prompt', method: 'prompts/list' },
} as const;

/** What a server defines, by what its entries are found by. */
export type Kind = keyof typeof kinds;

/** All of them. */
export const allKinds = Object.keys(kinds) as readonly Kind[];

/** Answers the list that an entry of a kind is told of with: resources and templates share one. */
export function changingListOf(kind: Kind): ChangingList {
  return methods[kinds[kind].method].capability;
}

/** Answers the kind that a method lists, or `undefined` for one that lists something else, or nothing. */
export function kindListedBy(method: string): Kind | undefined {
  return allKinds.find((kind) => kinds[kind].method === method);
}

/** Whether the entries of a kind are found by a name; the others are found by a URI. */
export function isNamed(kind: Kind): boolean {
  return methods[kinds[kind].method].list.key === 'name';
}

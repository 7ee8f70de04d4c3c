import type { Definitions } from '../dispatch/catalog.ts';
import type { ChangingList } from '../subscriptions/change.ts';

/** What a server defines, by what its entries are found by. */
export type Kind = Exclude<keyof Definitions, 'info'>;

/** What an entry of each kind is called in errors. */
export const kinds: { readonly [K in Kind]: string } = {
  tools: 'tool',
  resources: 'resource',
  templates: 'resource template',
  prompts: 'prompt',
};

/** Answers the list that an entry of a kind is told of with: resources and templates share one. */
export function listOf(kind: Kind): ChangingList {
  return kind === 'templates' ? 'resources' : kind;
}

/** The longest name of a tool or prompt. Spec: server/tools#tool-names (2026-07-28). */
export const MAX_NAME_CHARS = 128;

/** The kinds whose entries are found by a name, which a mount puts its prefix before; the others are found by a URI, which stays. */
const named: ReadonlySet<Kind> = new Set(['tools', 'prompts']);

/** Answers the key under which an entry of a mounted server appears. */
export function exposedKey(prefix: string, kind: Kind, key: string): string {
  return named.has(kind) ? `${prefix}_${key}` : key;
}

/** Answers the key that an entry has in the mounted server, or `undefined` when it cannot come from there. */
export function innerKey(prefix: string, kind: Kind, key: string): string | undefined {
  if (!named.has(kind)) return key;
  return key.startsWith(`${prefix}_`) ? key.slice(prefix.length + 1) : undefined;
}

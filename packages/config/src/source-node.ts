import type { KeyPath, Position } from './problem.ts';

/** Bounds on what a reader accepts: levels of nesting, and values with every alias written out. */
export const MAX_DEPTH = 64;
export const MAX_NODES = 100_000;

/** A parsed value that knows where it stands. Every reader (YAML, JSON, code) answers this one form. */
export type SourceNode = ScalarNode | ListNode | MapNode;

export interface ScalarNode {
  readonly kind: 'scalar';
  readonly at: Position;
  readonly value: string | number | boolean | null;
}

export interface ListNode {
  readonly kind: 'list';
  readonly at: Position;
  readonly items: readonly SourceNode[];
}

export interface MapNode {
  readonly kind: 'map';
  readonly at: Position;
  readonly entries: ReadonlyMap<string, MapEntry>;
}

export interface MapEntry {
  readonly keyAt: Position;
  readonly value: SourceNode;
}

/** The value under a key, or undefined where `node` is no map or has no such key. */
export function childOf(node: SourceNode | undefined, key: string): SourceNode | undefined {
  return node?.kind === 'map' ? node.entries.get(key)?.value : undefined;
}

/** The text under a key, or undefined where there is none or it is something else than text. */
export function textOf(node: SourceNode | undefined, key: string): string | undefined {
  const child = childOf(node, key);
  return child?.kind === 'scalar' && typeof child.value === 'string' ? child.value : undefined;
}

/** The keys of a map in the order of the text; none where `node` is no map. */
export function keysOf(node: SourceNode | undefined): string[] {
  return node?.kind === 'map' ? [...node.entries.keys()] : [];
}

/** The node at a path, or undefined where the path leads nowhere. */
export function nodeAt(root: SourceNode, path: KeyPath): SourceNode | undefined {
  let node: SourceNode | undefined = root;
  for (const segment of path) {
    if (node?.kind === 'list') node = node.items[Number(segment)];
    else node = childOf(node, String(segment));
  }
  return node;
}

/** Where the key (or the list item) at the end of a path stands; undefined where the path leads nowhere. */
export function positionAt(root: SourceNode, path: KeyPath): Position | undefined {
  const last = path.at(-1);
  if (last === undefined) return root.at;
  const parent = nodeAt(root, path.slice(0, -1));
  if (parent?.kind === 'list') return parent.items[Number(last)]?.at;
  return parent?.kind === 'map' ? parent.entries.get(String(last))?.keyAt : undefined;
}

/** The plain value of a node. Its maps have no prototype, so no key of the text can reach one. */
export function valueOf(node: SourceNode): unknown {
  if (node.kind === 'scalar') return node.value;
  if (node.kind === 'list') return node.items.map(valueOf);
  const value = createRecord<unknown>();
  for (const [key, entry] of node.entries) value[key] = valueOf(entry.value);
  return value;
}

/** An empty record without a prototype, for keys that a user chose. */
export function createRecord<Value>(): Record<string, Value> {
  return Object.create(null) as Record<string, Value>;
}

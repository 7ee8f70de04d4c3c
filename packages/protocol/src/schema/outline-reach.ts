import type { SchemaNode, SchemaOutline, SchemaSlot } from './schema-outline.ts';

/**
 * Finds the subschemas from which one of some others is reached, these included: through the slots that `follows`
 * admits and through references, whatever way a dynamic one takes.
 */
export function nodesReaching(
  outline: SchemaOutline,
  goals: readonly SchemaNode[],
  follows: (slot: SchemaSlot) => boolean,
): ReadonlySet<SchemaNode> {
  const before = new Map<SchemaNode, SchemaNode[]>();
  const link = (from: SchemaNode, to: SchemaNode): void => {
    const list = before.get(to);
    if (list === undefined) before.set(to, [from]);
    else list.push(from);
  };
  for (const node of outline.nodes) for (const slot of node.slots) if (follows(slot)) link(node, slot.node);
  for (const [node, target] of outline.refs) link(node, target);
  for (const node of outline.dynamicRefs.keys()) for (const target of dynamicTargets(outline, node)) link(node, target);
  const found = new Set<SchemaNode>(goals);
  for (const node of found) for (const source of before.get(node) ?? []) found.add(source);
  return found;
}

/**
 * All subschemas that the `$dynamicRef` of a node could mean, depending on the way to it; none where it has no such
 * keyword.
 */
export function dynamicTargets(outline: SchemaOutline, node: SchemaNode): SchemaNode[] {
  const target = outline.dynamicRefs.get(node);
  if (target?.anchor === undefined) return target === undefined ? [] : [target.node];
  const found: SchemaNode[] = [];
  for (const resource of outline.resources.values()) {
    const named = resource.dynamicAnchors.get(target.anchor);
    const candidate = named && outline.nodeOf.get(named);
    if (candidate !== undefined) found.push(candidate);
  }
  return found;
}

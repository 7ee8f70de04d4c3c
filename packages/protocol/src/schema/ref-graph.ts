import { dynamicTargets } from './outline-reach.ts';
import { SchemaError } from './schema-error.ts';
import { type SchemaNode, type SchemaOutline, pointerOf } from './schema-outline.ts';

interface Edge {
  readonly to: SchemaNode;
  readonly isRef: boolean;
  /** Whether the target sees the same value, not a child of it. */
  readonly isInPlace: boolean;
}

/**
 * Counts the different ways through references from the root, and refuses a schema that refers to itself without ever
 * descending into the value.
 *
 * Subschemas that refer to one another in a circle form a component. A reference inside of one is recursion, which the
 * value bounds, and counts once; one that leaves it counts as often as its component is left that way.
 *
 * Throws a `SchemaError`: `too-many-ref-paths` with the place where the limit is passed, `invalid` for an endless one.
 */
export function countRefPaths(outline: SchemaOutline, maxRefPaths: number): number {
  const edges = outline.nodes.map((node) => edgesOf(outline, node));
  assertEnds(outline, edges);
  const component = findComponents(edges, [outline.root.index]);
  // Components are numbered sinks first, so what an edge leads to has always been counted.
  const members: SchemaNode[][] = [];
  for (const node of outline.nodes) {
    const own = component[node.index];
    if (own !== undefined) (members[own] ??= []).push(node);
  }
  const paths: number[] = [];
  for (const [own, nodes] of members.entries()) {
    let count = 0;
    for (const { to, isRef } of nodes.flatMap((node) => edges[node.index] ?? [])) {
      const target = component[to.index];
      count += (isRef ? 1 : 0) + (target === undefined || target === own ? 0 : (paths[target] ?? 0));
    }
    if (count > maxRefPaths) {
      const place = nodes
        .map(pointerOf)
        .reduce((shortest, other) => (other.length < shortest.length ? other : shortest));
      throw new SchemaError(
        'too-many-ref-paths',
        place,
        `there are more than ${maxRefPaths} paths through $ref from here`,
      );
    }
    paths.push(count);
  }
  return paths.at(-1) ?? 0;
}

function assertEnds(outline: SchemaOutline, edges: readonly (readonly Edge[])[]): void {
  const inPlace = edges.map((list) => list.filter((edge) => edge.isInPlace));
  const component = findComponents(
    inPlace,
    outline.nodes.map(({ index }) => index),
  );
  for (const node of outline.nodes) {
    if (inPlace[node.index]?.some(({ to }) => component[to.index] === component[node.index])) {
      throw new SchemaError('invalid', pointerOf(node), 'it refers to itself without descending into the value');
    }
  }
}

function edgesOf(outline: SchemaOutline, node: SchemaNode): Edge[] {
  const edges: Edge[] = [];
  for (const { applies, node: to } of node.slots) {
    if (applies !== 'definition') edges.push({ to, isRef: false, isInPlace: applies === 'same' });
  }
  const target = outline.refs.get(node);
  if (target !== undefined) edges.push({ to: target, isRef: true, isInPlace: true });
  const candidates = dynamicTargets(outline, node);
  // Which of several candidates is meant depends on the way to it, so a circle among them need not be one.
  for (const to of candidates) edges.push({ to, isRef: true, isInPlace: candidates.length === 1 });
  return edges;
}

/**
 * Numbers the strongly connected components that are reachable from some nodes (Tarjan, without recursion). A component
 * gets its number after all that it leads to. Nodes out of reach have none.
 */
function findComponents(
  edges: readonly (readonly Edge[])[],
  starts: readonly number[],
): readonly (number | undefined)[] {
  const component: (number | undefined)[] = [];
  const order: (number | undefined)[] = [];
  const low: number[] = [];
  const open: number[] = [];
  let nextOrder = 0;
  let nextComponent = 0;
  const enter = (at: number): { at: number; next: number } => {
    order[at] = nextOrder;
    low[at] = nextOrder;
    nextOrder += 1;
    open.push(at);
    return { at, next: 0 };
  };
  for (const start of starts) {
    if (order[start] !== undefined) continue;
    const stack = [enter(start)];
    for (let frame = stack.at(-1); frame !== undefined; frame = stack.at(-1)) {
      const { at } = frame;
      const edge = edges[at]?.[frame.next];
      if (edge !== undefined) {
        frame.next += 1;
        const to = edge.to.index;
        if (order[to] === undefined) stack.push(enter(to));
        else if (component[to] === undefined) low[at] = Math.min(low[at] ?? 0, order[to] ?? 0);
        continue;
      }
      stack.pop();
      const above = stack.at(-1);
      if (above !== undefined) low[above.at] = Math.min(low[above.at] ?? 0, low[at] ?? 0);
      if (low[at] !== order[at]) continue;
      for (let member = open.pop(); member !== undefined; member = open.pop()) {
        component[member] = nextComponent;
        if (member === at) break;
      }
      nextComponent += 1;
    }
  }
  return component;
}

import { measureJson } from './json-size.ts';
import { nodesReaching } from './outline-reach.ts';
import type { SchemaNode, SchemaOutline, SchemaSlot } from './schema-outline.ts';
import { type StepBudget, spend, stepsPerMember } from './step-budget.ts';

/** Keywords whose subschemas can fill in defaults: those that always apply. */
const filling = new Set(['properties', 'additionalProperties', 'allOf', 'prefixItems', 'items', 'additionalItems']);

/** Steps for copying one byte of a default, counted in its JSON text. */
const stepsPerByte = 32;

interface Property {
  readonly key: string;
  readonly node: SchemaNode;
  /** Undefined where it has no default. */
  readonly preset: unknown;
  readonly stepsPerCopy: number;
}

interface Plan {
  readonly properties: readonly Property[];
  readonly others: SchemaNode | undefined;
  readonly first: readonly SchemaNode[];
  readonly rest: SchemaNode | undefined;
  readonly sameValue: readonly SchemaNode[];
  readonly refs: readonly SchemaNode[];
}

/**
 * Creates a function that puts `default`s into a value: a property that is missing, or undefined, and whose subschema
 * has a `default`, gets a copy of it. Undefined where the schema has nothing to fill in.
 *
 * Follows `properties`, `additionalProperties` (where no `patternProperties` stand beside it), items, `allOf` and
 * references. What holds only under a condition (`anyOf`, `oneOf`, `not`, `if`, dependencies) fills in nothing. In a
 * default that was just filled in, nested defaults are filled too, but no reference is followed, so that a recursive
 * schema comes to an end.
 *
 * All of it is charged to the budget, the copies by their size: defaults within the items of a default multiply.
 */
export function createDefaultFiller(
  outline: SchemaOutline,
): ((value: unknown, budget: StepBudget) => void) | undefined {
  const declaring = outline.nodes.filter(({ slots }) =>
    slots.some(({ keyword, node }) => keyword === 'properties' && defaultOf(node) !== undefined),
  );
  const active = nodesReaching(outline, declaring, ({ keyword }) => filling.has(keyword));
  if (!active.has(outline.root)) return undefined;
  const plans = new Map<SchemaNode, Plan>();
  for (const node of active) plans.set(node, planFor(outline, node));
  return (value, budget) => fill(plans, outline.root, value, false, budget);
}

function defaultOf({ schema }: SchemaNode): unknown {
  return typeof schema === 'boolean' ? undefined : schema.default;
}

function planFor(outline: SchemaOutline, node: SchemaNode): Plan {
  const { slots, schema } = node;
  const nodesIn = (keyword: string): SchemaNode[] =>
    slots.filter((slot) => slot.keyword === keyword).map((slot) => slot.node);
  const [others] = typeof schema === 'object' && 'patternProperties' in schema ? [] : nodesIn('additionalProperties');
  const tuple = slots.some(({ keyword, key }) => keyword === 'items' && key !== undefined);
  const dynamic = outline.dynamicRefs.get(node)?.node;
  return {
    properties: slots.filter(({ keyword }) => keyword === 'properties').map(toProperty),
    others,
    first: nodesIn(tuple ? 'items' : 'prefixItems'),
    rest: nodesIn(tuple ? 'additionalItems' : 'items')[0],
    sameValue: nodesIn('allOf'),
    refs: [outline.refs.get(node), dynamic].filter((target) => target !== undefined),
  };
}

function toProperty({ key = '', node }: SchemaSlot): Property {
  const preset = defaultOf(node);
  const bytes = preset === undefined ? 0 : measureJson(preset, Infinity, Infinity).bytes;
  return { key, node, preset, stepsPerCopy: bytes * stepsPerByte };
}

type Plans = ReadonlyMap<SchemaNode, Plan>;

function fill(plans: Plans, node: SchemaNode, value: unknown, isFresh: boolean, budget: StepBudget): void {
  const plan = plans.get(node);
  if (plan === undefined || typeof value !== 'object' || value === null) return;
  spend(budget, 1 + plan.properties.length);
  if (!isFresh) for (const target of plan.refs) fill(plans, target, value, false, budget);
  for (const part of plan.sameValue) fill(plans, part, value, isFresh, budget);
  if (Array.isArray(value)) {
    if (plan.first.length === 0 && plan.rest === undefined) return;
    spend(budget, value.length);
    for (const [index, item] of value.entries()) {
      const sub = plan.first[index] ?? plan.rest;
      if (sub !== undefined) fill(plans, sub, item, isFresh, budget);
    }
    return;
  }
  const members = value as { [name: string]: unknown };
  const named = new Set<string>();
  for (const { key, node: sub, preset, stepsPerCopy } of plan.properties) {
    named.add(key);
    const isMissing = !Object.hasOwn(members, key) || members[key] === undefined;
    const isFilled = isMissing && preset !== undefined;
    if (isFilled) {
      spend(budget, stepsPerCopy);
      setMember(members, key, structuredClone(preset));
    }
    if (Object.hasOwn(members, key)) fill(plans, sub, members[key], isFresh || isFilled, budget);
  }
  if (plan.others === undefined) return;
  const entries = Object.entries(members);
  spend(budget, entries.length * stepsPerMember);
  for (const [name, member] of entries) {
    if (!named.has(name)) fill(plans, plan.others, member, isFresh, budget);
  }
}

/** Sets a member even where it is called `__proto__`. */
function setMember(members: object, name: string, value: unknown): void {
  Object.defineProperty(members, name, { value, writable: true, enumerable: true, configurable: true });
}

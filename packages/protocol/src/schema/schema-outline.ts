import { clip } from '../clip.ts';
import { type SchemaDialect, detectDialect } from './dialect.ts';
import { decodePointer, encodePointer, stepInto } from '../json-pointer.ts';
import { isJsonObject } from '../shape.ts';
import type { JsonSchema } from './json-schema.ts';
import { measureJson } from './json-size.ts';
import { type Keyword, describeForm, hasForm, isKeyword, keywordsOf } from './keywords.ts';
import { SchemaError } from './schema-error.ts';
import type { SchemaLimits } from './schema-limits.ts';
import { type SchemaResource, type SchemaResources, enterResource, resolveReference } from './schema-resource.ts';

/** A subschema at its place in the document. */
export interface SchemaNode {
  /** Its position in `SchemaOutline.nodes`. */
  readonly index: number;
  readonly schema: JsonSchema | boolean;
  /** The nearest enclosing subschema, and the tokens that lead from there to this one. */
  readonly parent: SchemaNode | undefined;
  readonly tokens: readonly string[];
  readonly depth: number;
  /** Undefined only for a document that is a boolean. */
  readonly resource: SchemaResource | undefined;
  readonly slots: readonly SchemaSlot[];
}

/** Where a subschema stands in its parent: the keyword, and the name or index inside of it. */
export interface SchemaSlot {
  readonly keyword: string;
  readonly applies: Keyword['applies'];
  readonly key: string | undefined;
  readonly node: SchemaNode;
}

/** The target of a `$dynamicRef`; with an `anchor` it gives way to the outermost resource that has the same one. */
export interface DynamicTarget {
  readonly node: SchemaNode;
  readonly anchor: string | undefined;
}

/**
 * All subschemas of a document, checked for form and within the limits, every reference resolved inside the document.
 */
export interface SchemaOutline {
  readonly dialect: SchemaDialect;
  readonly bytes: number;
  readonly root: SchemaNode;
  readonly nodes: readonly SchemaNode[];
  readonly nodeOf: ReadonlyMap<JsonSchema, SchemaNode>;
  readonly resources: ReadonlyMap<string, SchemaResource>;
  readonly refs: ReadonlyMap<SchemaNode, SchemaNode>;
  readonly dynamicRefs: ReadonlyMap<SchemaNode, DynamicTarget>;
}

interface Build {
  readonly dialect: SchemaDialect;
  readonly limits: SchemaLimits;
  readonly nodes: SchemaNode[];
  readonly nodeOf: Map<JsonSchema, SchemaNode>;
  readonly resources: SchemaResources;
  readonly unexpanded: (() => void)[];
}

/** Writes the JSON pointer of a subschema. */
export function pointerOf(node: SchemaNode): string {
  let pointer = '';
  for (let at: SchemaNode | undefined = node; at !== undefined; at = at.parent) {
    pointer = encodePointer(at.tokens) + pointer;
  }
  return pointer;
}

/**
 * Finds all subschemas of a schema from outside. Only places where the dialect has a schema are followed, so that a
 * property that is called `$ref` or data in `const` is not taken for a reference; a place outside of them becomes a
 * subschema where a reference leads to it.
 *
 * Works without recursion. Throws a `SchemaError` of any code but `too-many-ref-paths`.
 */
export function outlineSchema(schema: unknown, limits: SchemaLimits): SchemaOutline {
  const { bytes } = measureJson(schema, limits.maxBytes, limits.maxDepth * 4);
  const dialect = isJsonObject(schema) ? detectDialect(schema.$schema) : '2020-12';
  const build: Build = { dialect, limits, nodes: [], nodeOf: new Map(), resources: new Map(), unexpanded: [] };
  const root = addNode(build, schema, undefined, []);
  expand(build);
  const refs = new Map<SchemaNode, SchemaNode>();
  const dynamicRefs = new Map<SchemaNode, DynamicTarget>();
  // A reference may lead to a place that was no subschema until now; the loop also sees the nodes that it adds.
  for (const node of build.nodes) {
    const { schema: at } = node;
    if (typeof at === 'boolean') continue;
    if (typeof at.$ref === 'string') refs.set(node, resolve(build, node, '$ref', at.$ref).node);
    if (dialect === '2020-12' && typeof at.$dynamicRef === 'string') {
      dynamicRefs.set(node, resolve(build, node, '$dynamicRef', at.$dynamicRef));
    }
  }
  const { nodes, nodeOf, resources } = build;
  return { dialect, bytes, root, nodes, nodeOf, resources, refs, dynamicRefs };
}

function addNode(build: Build, schema: unknown, parent: SchemaNode | undefined, tokens: readonly string[]): SchemaNode {
  const { dialect, limits, nodes, nodeOf, resources } = build;
  const place = (): string => (parent === undefined ? '' : pointerOf(parent)) + encodePointer(tokens);
  if (typeof schema !== 'boolean' && !isJsonObject(schema)) {
    throw new SchemaError('not-a-schema', place(), `${nameKind(schema)} stands here; expected an object or a boolean`);
  }
  const depth = parent === undefined ? 1 : parent.depth + 1;
  if (depth > limits.maxDepth) {
    throw new SchemaError('too-deep', place(), `subschemas are nested deeper than ${limits.maxDepth} levels`);
  }
  if (nodes.length >= limits.maxSubschemas) {
    throw new SchemaError('too-many-subschemas', place(), `there are more than ${limits.maxSubschemas} subschemas`);
  }
  const slots: SchemaSlot[] = [];
  const outer = parent?.resource;
  const resource = typeof schema === 'boolean' ? outer : enterResource(resources, dialect, schema, outer, place);
  const node: SchemaNode = { index: nodes.length, schema, parent, tokens, depth, resource, slots };
  nodes.push(node);
  if (typeof schema === 'object') {
    if (!nodeOf.has(schema)) nodeOf.set(schema, node);
    build.unexpanded.push(() => fillSlots(build, node, schema, slots));
  }
  return node;
}

function expand({ unexpanded }: Build): void {
  for (let next = unexpanded.pop(); next !== undefined; next = unexpanded.pop()) next();
}

function fillSlots(build: Build, node: SchemaNode, schema: JsonSchema, slots: SchemaSlot[]): void {
  for (const [name, value] of Object.entries(schema)) {
    const keyword = keywordsOf[build.dialect].get(name);
    if (keyword === undefined || value === undefined || !isKeyword(build.dialect, schema, name)) continue;
    const { form, applies } = keyword;
    if (!hasForm(form, value)) {
      throw new SchemaError(
        'invalid',
        pointerOf(node) + encodePointer([name]),
        `"${name}" is ${nameKind(value)}; expected ${describeForm(form)}`,
      );
    }
    const put = (sub: unknown, key?: string): void => {
      const child = addNode(build, sub, node, key === undefined ? [name] : [name, key]);
      slots.push({ keyword: name, applies, key, node: child });
    };
    if (form === 'schema-list' || (form === 'schema-or-list' && Array.isArray(value))) {
      for (const [index, sub] of (value as readonly unknown[]).entries()) put(sub, String(index));
    } else if (form === 'schema' || form === 'schema-or-list') {
      put(value);
    } else if (form === 'schema-map' || form === 'dependencies') {
      for (const [key, sub] of Object.entries(value as JsonSchema)) {
        if (sub !== undefined && (form === 'schema-map' || !hasForm('text-list', sub))) put(sub, key);
      }
    }
  }
}

function resolve(build: Build, node: SchemaNode, keyword: '$ref' | '$dynamicRef', reference: string): DynamicTarget {
  const fail = (code: 'network-ref' | 'unresolved-ref', reason: string): SchemaError =>
    new SchemaError(code, `${pointerOf(node)}/${keyword}`, `"${keyword}" ${JSON.stringify(clip(reference))} ${reason}`);
  const target = resolveReference(reference, node.resource);
  if (target === undefined) throw fail('unresolved-ref', 'is no usable URI reference');
  const resource = build.resources.get(target.uri);
  if (resource === undefined) {
    throw fail('network-ref', 'leads out of the document and is not fetched; expected a reference within the schema');
  }
  const found = find(build, resource, target.fragment);
  if (found === undefined)
    throw fail('unresolved-ref', 'leads to nothing in the document; expected a definition there');
  const isDynamic = keyword === '$dynamicRef' && resource.dynamicAnchors.has(target.fragment);
  return { node: found, anchor: isDynamic ? target.fragment : undefined };
}

function find(build: Build, resource: SchemaResource, fragment: string): SchemaNode | undefined {
  if (fragment !== '' && !fragment.startsWith('/')) {
    const named = resource.anchors.get(fragment);
    return named && build.nodeOf.get(named);
  }
  let nearest = build.nodeOf.get(resource.schema);
  let at: unknown = resource.schema;
  let tokens: string[] = [];
  for (const token of decodePointer(fragment)) {
    at = stepInto(at, token);
    if (at === undefined) return undefined;
    tokens.push(token);
    const known = isJsonObject(at) ? build.nodeOf.get(at) : undefined;
    if (known === undefined) continue;
    nearest = known;
    tokens = [];
  }
  if (tokens.length === 0 || nearest === undefined) return nearest;
  // A boolean has no identity to be known by.
  const slot = nearest.slots.find(({ node }) => areSame(node.tokens, tokens));
  if (slot !== undefined) return slot.node;
  const added = addNode(build, at, nearest, tokens);
  expand(build);
  return added;
}

function areSame(some: readonly string[], others: readonly string[]): boolean {
  return some.length === others.length && some.every((token, index) => token === others[index]);
}

function nameKind(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

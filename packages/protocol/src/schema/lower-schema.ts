import { formats } from './formats.ts';
import { isJsonObject } from '../shape.ts';
import { hasForm, isKeyword, keywordsOf } from './keywords.ts';
import type { LoweredDocument, LoweredSchema, LoweredValue } from './lowered-schema.ts';
import type { Matchers } from './matchers.ts';
import { dynamicTargets, nodesReaching } from './outline-reach.ts';
import type { LinearPattern } from './pattern/linear-pattern.ts';
import type { PatternSet } from './pattern/pattern-set.ts';
import { SchemaError } from './schema-error.ts';
import { type SchemaNode, type SchemaOutline, pointerOf } from './schema-outline.ts';
import type { SchemaResource } from './schema-resource.ts';

/**
 * The resources that were entered on the way to a subschema, outermost first, as far as a `$dynamicRef` tells them
 * apart.
 */
type Scope = readonly SchemaResource[];

interface Lowering {
  readonly outline: SchemaOutline;
  readonly patterns: PatternSet;
  readonly matchers: Matchers;
  /** Subschemas that become definitions, because a reference leads to them or they are needed twice. */
  readonly targets: ReadonlySet<SchemaNode>;
  /** Subschemas whose verdict hangs on a pattern that is not checked. */
  readonly lenient: ReadonlySet<SchemaNode>;
  /** The resources that a `$dynamicRef` tells apart, each with a number that stands for it. */
  readonly dynamicResources: ReadonlyMap<SchemaResource, number>;
  /** Whether some keyword asks which members or items others have evaluated. */
  readonly tracksEvaluation: boolean;
  readonly names: Map<string, string>;
  readonly waiting: { readonly node: SchemaNode; readonly scope: Scope; readonly name: string }[];
  readonly maxDefinitions: number;
  readonly checksFormats: boolean;
}

/** What {@link lowerSchema} needs beside the outline. */
interface LoweringOptions {
  readonly patterns: PatternSet;
  readonly matchers: Matchers;
  readonly maxSubschemas: number;
  /** Where it is false, `format` is an annotation. */
  readonly checksFormats: boolean;
}

interface Place {
  readonly lowering: Lowering;
  readonly node: SchemaNode;
  readonly scope: Scope;
}

interface Sub {
  readonly key: string;
  readonly value: LoweredValue;
  readonly isLenient: boolean;
}

/**
 * Translates an outlined schema for ajv. Ajv then sees no `$id`, resolves no URI and runs exactly what was measured.
 *
 * A pattern that is not checked passes; where its passing could refuse a value (in `not`, `if`, `oneOf`, under
 * `maxContains`), the keyword around it is loosened.
 *
 * Throws a `SchemaError` with the code `too-many-subschemas` where dynamic references give definitions too many
 * meanings.
 */
export function lowerSchema(
  outline: SchemaOutline,
  { patterns, matchers, maxSubschemas, checksFormats }: LoweringOptions,
): { readonly document: LoweredDocument; readonly tracksEvaluation: boolean } {
  const dynamic = outline.nodes.map((node) => dynamicTargets(outline, node));
  const slots = outline.nodes.flatMap((node) => node.slots);
  const tracksEvaluation = slots.some(({ keyword }) => keyword.startsWith('unevaluated'));
  const conditions = slots.flatMap(({ keyword, node }) => (keyword === 'if' ? node : []));
  const lowering: Lowering = {
    outline,
    patterns,
    matchers,
    targets: new Set([...outline.refs.values(), ...dynamic.flat(), ...(tracksEvaluation ? conditions : [])]),
    tracksEvaluation,
    lenient: findLenient(outline, patterns),
    dynamicResources: numbered(
      dynamic
        .filter((targets) => targets.length > 1)
        .flatMap((targets) => targets.flatMap(({ resource }) => resource ?? [])),
    ),
    names: new Map(),
    waiting: [],
    maxDefinitions: maxSubschemas * 2,
    checksFormats,
  };
  const document: LoweredDocument = new Map();
  nameFor(lowering, outline.root, []);
  for (let next = lowering.waiting.pop(); next !== undefined; next = lowering.waiting.pop()) {
    const { node, scope, name } = next;
    document.set(name, typeof node.schema === 'boolean' ? node.schema : lowerBody({ lowering, node, scope }));
  }
  return { document, tracksEvaluation };
}

function numbered<T>(items: readonly T[]): ReadonlyMap<T, number> {
  return new Map([...new Set(items)].map((item, index) => [item, index]));
}

function findLenient(outline: SchemaOutline, patterns: PatternSet): ReadonlySet<SchemaNode> {
  const isUnchecked = (source: unknown): boolean =>
    typeof source === 'string' && patterns.has(source) && patterns.get(source) === undefined;
  const seeds = outline.nodes.filter(
    ({ schema, slots }) =>
      (typeof schema === 'object' && isUnchecked(schema.pattern)) ||
      slots.some(({ keyword, key }) => keyword === 'patternProperties' && isUnchecked(key)),
  );
  return nodesReaching(outline, seeds, ({ applies }) => applies !== 'definition');
}

function enter({ dynamicResources }: Lowering, scope: Scope, { resource }: SchemaNode): Scope {
  if (resource === undefined || !dynamicResources.has(resource) || scope.includes(resource)) return scope;
  return [...scope, resource];
}

/** The name of the definition for a subschema, which is the same for the same way through dynamic references only. */
function nameFor(lowering: Lowering, node: SchemaNode, outer: Scope): string {
  const { names, waiting, maxDefinitions, dynamicResources } = lowering;
  const scope = enter(lowering, outer, node);
  const key = [node.index, ...scope.map((resource) => dynamicResources.get(resource))].join(' ');
  const known = names.get(key);
  if (known !== undefined) return known;
  if (names.size > maxDefinitions) {
    throw new SchemaError('too-many-subschemas', pointerOf(node), 'its dynamic references can mean too many things');
  }
  const name = names.size === 0 ? '#' : `r${names.size}`;
  names.set(key, name);
  waiting.push({ node, scope, name });
  return name;
}

function lowerChild(place: Place, node: SchemaNode): LoweredValue {
  if (typeof node.schema === 'boolean') return node.schema;
  const { lowering, scope } = place;
  if (lowering.targets.has(node)) return { $ref: nameFor(lowering, node, scope) };
  return lowerBody({ lowering, node, scope: enter(lowering, scope, node) });
}

function subsOf(place: Place, keyword: string): Sub[] {
  return place.node.slots
    .filter((slot) => slot.keyword === keyword)
    .map(({ key = '', node }) => ({
      key,
      value: lowerChild(place, node),
      isLenient: place.lowering.lenient.has(node),
    }));
}

function lowerBody(place: Place): LoweredSchema {
  const lowered: LoweredSchema = {};
  /** Schemas that have to hold as well. */
  const also: LoweredValue[] = subsOf(place, 'allOf').map(({ value }) => value);
  lowerValues(place, lowered);
  lowerMembers(place, lowered);
  lowerItems(place, lowered);
  lowerCombinations(place, lowered, also);
  lowerDependencies(place, lowered, also);
  lowerRefs(place, lowered, also);
  if (place.lowering.tracksEvaluation) isolateConditions(lowered, also);
  if (also.length > 0) lowered.allOf = also;
  return lowered;
}

/**
 * Ajv forgets what was evaluated for certain when something is evaluated under a condition after it. With each
 * condition in a subschema of its own, it merges all of them for certain.
 */
function isolateConditions(lowered: LoweredSchema, also: LoweredValue[]): void {
  for (const keyword of ['$ref', 'anyOf', 'oneOf', 'dependentSchemas']) {
    if (lowered[keyword] === undefined) continue;
    also.push({ [keyword]: lowered[keyword] });
    delete lowered[keyword];
  }
}

const copiedForms = new Set(['type', 'number', 'positive-number', 'count', 'boolean', 'list', 'any', 'text-list']);

function lowerValues({ lowering, node }: Place, lowered: LoweredSchema): void {
  const { dialect } = lowering.outline;
  for (const [name, value] of Object.entries(node.schema)) {
    const form = keywordsOf[dialect].get(name)?.form;
    if (form === undefined || value === undefined || !isKeyword(dialect, node.schema as object, name)) continue;
    const isFormat = name === 'format' && lowering.checksFormats && Object.hasOwn(formats, String(value));
    if (copiedForms.has(form) || isFormat) lowered[name] = value;
    if (name !== 'pattern') continue;
    const pattern = lowering.patterns.get(String(value));
    if (pattern !== undefined) lowered.pattern = lowering.matchers.handleFor(pattern);
  }
}

function lowerMembers(place: Place, lowered: LoweredSchema): void {
  const { patterns, matchers } = place.lowering;
  const properties: LoweredSchema = {};
  const patternProperties: LoweredSchema = {};
  for (const { key, value } of subsOf(place, 'properties')) {
    // Ajv passes over a property of this name, but not over a pattern that means it.
    if (key === '__proto__') patternProperties[matchers.handleFor(literally(key))] = value;
    else properties[key] = value;
  }
  for (const { key, value } of subsOf(place, 'patternProperties')) {
    const pattern = patterns.get(key);
    patternProperties[matchers.handleFor(pattern)] = pattern === undefined || value;
  }
  if (Object.keys(properties).length > 0) lowered.properties = properties;
  if (Object.keys(patternProperties).length > 0) lowered.patternProperties = patternProperties;
  for (const keyword of ['additionalProperties', 'unevaluatedProperties', 'propertyNames']) {
    for (const { value } of subsOf(place, keyword)) lowered[keyword] = value;
  }
}

function literally(text: string): LinearPattern {
  return { source: text, test: (other) => other === text, stepsFor: () => 1 };
}

function lowerItems(place: Place, lowered: LoweredSchema): void {
  const { schema } = place.node;
  const isOldTuple = place.lowering.outline.dialect === 'draft-07' && Array.isArray((schema as LoweredSchema).items);
  const first = subsOf(place, isOldTuple ? 'items' : 'prefixItems').map(({ value }) => value);
  if (first.length > 0) lowered.prefixItems = first;
  for (const { value } of subsOf(place, isOldTuple ? 'additionalItems' : 'items')) lowered.items = value;
  for (const { value } of subsOf(place, 'unevaluatedItems')) lowered.unevaluatedItems = value;
  for (const { value, isLenient } of subsOf(place, 'contains')) {
    lowered.contains = value;
    if (isLenient) delete lowered.maxContains;
  }
}

function lowerCombinations(place: Place, lowered: LoweredSchema, also: LoweredValue[]): void {
  const anyOf = subsOf(place, 'anyOf').map(({ value }) => value);
  if (anyOf.length > 0) lowered.anyOf = anyOf;
  const oneOf = subsOf(place, 'oneOf');
  const branches = oneOf.map(({ value }) => value);
  if (oneOf.some(({ isLenient }) => isLenient)) also.push({ anyOf: branches });
  else if (oneOf.length > 0) lowered.oneOf = branches;
  for (const { value, isLenient } of subsOf(place, 'not')) if (!isLenient) lowered.not = value;
  lowerCondition(place, lowered, also);
}

function lowerCondition(place: Place, lowered: LoweredSchema, also: LoweredValue[]): void {
  const [condition, yes, no] = ['if', 'then', 'else'].map((keyword) => subsOf(place, keyword)[0]);
  if (condition === undefined) return;
  const branches = [yes?.value ?? true, no?.value ?? true] as const;
  const { value, isLenient } = condition;
  if (isLenient) {
    also.push({ anyOf: [...branches] });
  } else if (place.lowering.tracksEvaluation) {
    also.push({ anyOf: [{ allOf: [value, branches[0]] }, { allOf: [{ not: value }, branches[1]] }] });
  } else {
    lowered.if = value;
    for (const [index, keyword] of ['then', 'else'].entries()) lowered[keyword] = branches[index];
  }
}

function lowerDependencies(place: Place, lowered: LoweredSchema, also: LoweredValue[]): void {
  const { schema } = place.node;
  const { dialect } = place.lowering.outline;
  const schemas: LoweredSchema = {};
  const required: LoweredSchema = {};
  for (const keyword of ['dependentSchemas', 'dependencies', 'dependentRequired']) {
    for (const { key, value } of subsOf(place, keyword)) {
      // Ajv passes over a dependency on a property of this name.
      if (key === '__proto__') also.push({ anyOf: [{ not: { required: [key] } }, value] });
      else schemas[key] = Object.hasOwn(schemas, key) ? { allOf: [schemas[key], value] } : value;
    }
    const lists = (schema as LoweredSchema)[keyword];
    if (!isJsonObject(lists) || !isKeyword(dialect, schema as object, keyword)) continue;
    for (const [key, names] of Object.entries(lists)) {
      if (!hasForm('text-list', names)) continue;
      if (key === '__proto__') also.push({ anyOf: [{ not: { required: [key] } }, { required: names }] });
      else
        required[key] = [...(Object.hasOwn(required, key) ? (required[key] as string[]) : []), ...(names as string[])];
    }
  }
  if (Object.keys(schemas).length > 0) lowered.dependentSchemas = schemas;
  if (Object.keys(required).length > 0) lowered.dependentRequired = required;
}

function lowerRefs(place: Place, lowered: LoweredSchema, also: LoweredValue[]): void {
  const { outline } = place.lowering;
  const target = outline.refs.get(place.node);
  if (target !== undefined) lowered.$ref = nameFor(place.lowering, target, place.scope);
  const dynamic = outline.dynamicRefs.get(place.node);
  if (dynamic === undefined) return;
  const { anchor = '' } = dynamic;
  const outermost = place.scope.find((resource) => resource.dynamicAnchors.has(anchor))?.dynamicAnchors.get(anchor);
  const meant = outermost === undefined ? undefined : outline.nodeOf.get(outermost);
  also.push({ $ref: nameFor(place.lowering, meant ?? dynamic.node, place.scope) });
}

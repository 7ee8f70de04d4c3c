import { clip } from '../clip.ts';
import { type SchemaDialect, detectDialect, supportedDialects } from './dialect.ts';
import type { JsonSchema } from './json-schema.ts';
import { isKeyword } from './keywords.ts';
import { SchemaError } from './schema-error.ts';

/** The base of a document that has no `$id` of its own. */
const documentUri = 'schema-document:///';

const maxUriLength = 2_048;

/**
 * A schema with a URI of its own, and the names that are defined in it: the document itself, or what is embedded by
 * `$id`.
 */
export interface SchemaResource {
  readonly uri: string;
  readonly schema: JsonSchema;
  /** Schemas by the names of `$anchor`, `$dynamicAnchor` and, in draft-07, of an `$id` that is a bare fragment. */
  readonly anchors: Map<string, JsonSchema>;
  /** The part of them that stands in `$dynamicAnchor`. */
  readonly dynamicAnchors: Map<string, JsonSchema>;
}

/** The resources of one document by their absolute URIs. */
export type SchemaResources = Map<string, SchemaResource>;

/** A reference made absolute: the URI of the resource, and the decoded fragment ('' where there is none). */
export interface AbsoluteReference {
  readonly uri: string;
  readonly fragment: string;
}

/**
 * Makes a reference absolute against the resource it stands in. Undefined where it is no URI reference, is longer than
 * 2,048 characters before its fragment, or has a fragment that cannot be decoded.
 */
export function resolveReference(reference: string, base: SchemaResource | undefined): AbsoluteReference | undefined {
  const hash = reference.indexOf('#');
  const before = hash === -1 ? reference : reference.slice(0, hash);
  const baseUri = base?.uri ?? documentUri;
  const uri = before === '' ? baseUri : absoluteUri(before, baseUri);
  const fragment = decode(hash === -1 ? '' : reference.slice(hash + 1));
  return uri === undefined || fragment === undefined ? undefined : { uri, fragment };
}

/**
 * Registers the `$id` and the anchors of a schema and tells which resource it belongs to.
 *
 * Throws a `SchemaError`: `invalid` for an `$id` or anchor that is malformed or given twice, `unsupported-dialect` for
 * an embedded resource in another dialect than the document's.
 */
export function enterResource(
  resources: SchemaResources,
  dialect: SchemaDialect,
  schema: JsonSchema,
  outer: SchemaResource | undefined,
  place: () => string,
): SchemaResource {
  const id = !isKeyword(dialect, schema, '$id') || typeof schema.$id !== 'string' ? '' : schema.$id;
  const target = resolveReference(id, outer);
  if (target === undefined || (dialect === '2020-12' && target.fragment !== '')) {
    throw new SchemaError('invalid', `${place()}/$id`, '"$id" is no URI reference without a fragment, or is too long');
  }
  const resource = target.uri === outer?.uri ? outer : defineResource(resources, target.uri, schema, place);
  if (outer !== undefined && resource !== outer) assertSameDialect(dialect, schema.$schema, place());
  const names = dialect === '2020-12' ? [schema.$anchor, schema.$dynamicAnchor] : [target.fragment];
  for (const name of names) {
    if (typeof name !== 'string' || name === '') continue;
    if (dialect === '2020-12' && !/^[A-Za-z_][-A-Za-z0-9._]*$/.test(name)) {
      throw new SchemaError('invalid', place(), `the anchor ${JSON.stringify(clip(name))} is no plain name`);
    }
    assertUnique(resource.anchors.get(name), schema, `the anchor ${JSON.stringify(clip(name))}`, place);
    resource.anchors.set(name, schema);
    if (dialect === '2020-12' && name === schema.$dynamicAnchor) resource.dynamicAnchors.set(name, schema);
  }
  return resource;
}

function defineResource(
  resources: SchemaResources,
  uri: string,
  schema: JsonSchema,
  place: () => string,
): SchemaResource {
  const known = resources.get(uri);
  assertUnique(known?.schema, schema, `the "$id" ${JSON.stringify(clip(uri))}`, place);
  const resource = known ?? { uri, schema, anchors: new Map(), dynamicAnchors: new Map() };
  resources.set(uri, resource);
  return resource;
}

function assertUnique(known: JsonSchema | undefined, schema: JsonSchema, what: string, place: () => string): void {
  if (known !== undefined && known !== schema) throw new SchemaError('invalid', place(), `${what} is given twice`);
}

function assertSameDialect(dialect: SchemaDialect, declared: unknown, pointer: string): void {
  if (declared === undefined || detectDialect(declared, pointer) === dialect) return;
  throw new SchemaError(
    'unsupported-dialect',
    `${pointer}/$schema`,
    `an embedded schema has another dialect than the document; expected ${supportedDialects[dialect]}`,
  );
}

function absoluteUri(reference: string, base: string): string | undefined {
  if (reference.length > maxUriLength || !URL.canParse(reference, base)) return undefined;
  const uri = new URL(reference, base).href;
  return uri.length > maxUriLength ? undefined : uri;
}

function decode(text: string): string | undefined {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    // Only a malformed escape throws; such a fragment names nothing.
    return undefined;
  }
}

import {
  type Annotations,
  type CacheHints,
  type Icon,
  type JsonObject,
  parseUriTemplate,
  type ReadResourceResult,
  type Resource,
  type ResourceContents,
  type ResourceTemplate,
  type UriTemplate,
} from '@switchyard/protocol';

import { assertListable } from '../list-pages.ts';
import type { RequestContext } from '../request-context.ts';
import { toCacheHints } from './cache-hints.ts';
import type { Completer } from './completer.ts';
import { present } from './present.ts';

/** How a resource is described. `size` is in bytes. Spec: schema#resource (2026-07-28). */
export interface ResourceDefinition {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly mimeType?: string;
  readonly size?: number;
  readonly annotations?: Annotations;
  readonly icons?: readonly Icon[];
  readonly meta?: JsonObject;
  /** Freshness of what is read: `ttlMs` 0 and `private` unless stated. */
  readonly cache?: Partial<CacheHints>;
}

/** How a family of resources is described. Spec: schema#resourcetemplate (2026-07-28). */
export interface ResourceTemplateDefinition extends Omit<ResourceDefinition, 'size'> {
  /** Suggestions for the template's variables, by variable name. */
  readonly complete?: { readonly [variable: string]: Completer };
}

/** What a reader may return: text, bytes, one or several contents, or a full result. `undefined`: no such resource. */
export type ResourceReturn =
  | string
  | Uint8Array
  | ResourceContents
  | readonly ResourceContents[]
  | (Omit<ReadResourceResult, keyof CacheHints> & Partial<CacheHints>)
  | undefined;

export type ResourceHandler = (uri: string, context: RequestContext) => ResourceReturn | Promise<ResourceReturn>;

/** Variables of a template as they stood in the URI, percent-decoded; an exploded one is a list. */
export type TemplateVariables = { readonly [name: string]: string | readonly string[] };

export type ResourceTemplateHandler = (
  variables: TemplateVariables,
  context: RequestContext,
) => ResourceReturn | Promise<ResourceReturn>;

/** A resource ready to be served. */
export interface CompiledResource {
  readonly listed: Resource;
  readonly cache: CacheHints;
  readonly handler: ResourceHandler;
}

/** A template ready to be served. */
export interface CompiledResourceTemplate {
  readonly listed: ResourceTemplate;
  readonly template: UriTemplate;
  readonly cache: CacheHints;
  readonly complete: { readonly [variable: string]: Completer };
  readonly handler: ResourceTemplateHandler;
}

const stale: CacheHints = { ttlMs: 0, cacheScope: 'private' };

/** @throws TypeError when the URI is not absolute (RFC 3986) or too long for a cursor. */
export function compileResource(
  uri: string,
  definition: ResourceDefinition,
  handler: ResourceHandler,
): CompiledResource {
  if (!URL.canParse(uri))
    throw new TypeError(`resource ${JSON.stringify(uri)}: the URI must be absolute, for example policy://refunds`);
  assertListable('resource', uri);
  return { listed: { uri, ...describe(definition) }, cache: toCacheHints(definition.cache, stale), handler };
}

/**
 * @throws UriTemplateError when the template breaks RFC 6570; TypeError when it is too long for a cursor, or `complete` names a
 *   variable that it does not have.
 */
export function compileResourceTemplate(
  uriTemplate: string,
  definition: ResourceTemplateDefinition,
  handler: ResourceTemplateHandler,
): CompiledResourceTemplate {
  const template = parseUriTemplate(uriTemplate);
  assertListable('resource template', uriTemplate);
  const complete = definition.complete ?? {};
  for (const variable of Object.keys(complete)) {
    if (!template.variables.includes(variable))
      throw new TypeError(`resource template ${uriTemplate}: it has no variable "${variable}" to complete`);
  }
  return {
    listed: { uriTemplate, ...describe(definition) },
    template,
    cache: toCacheHints(definition.cache, stale),
    complete,
    handler,
  };
}

/** Turns what a reader returned into a result, or answers `undefined` when there is no such resource. */
export function toReadResult(
  uri: string,
  mimeType: string | undefined,
  cache: CacheHints,
  returned: ResourceReturn,
): ReadResourceResult | undefined {
  if (returned === undefined) return undefined;
  const about = { uri, ...present({ mimeType }) };
  if (typeof returned === 'string') return { contents: [{ ...about, text: returned }], ...cache };
  if (returned instanceof Uint8Array) return { contents: [{ ...about, blob: toBase64(returned) }], ...cache };
  if (Array.isArray(returned)) return { contents: returned as readonly ResourceContents[], ...cache };
  if ('contents' in returned) return { ...cache, ...returned };
  return { contents: [returned as ResourceContents], ...cache };
}

function describe(definition: ResourceDefinition): Omit<Resource, 'uri'> {
  const { name, title, description, mimeType, size, annotations, icons, meta } = definition;
  return { name, ...present({ title, description, mimeType, size, annotations, icons, _meta: meta }) };
}

const base64Chunk = 0x8000;

function toBase64(bytes: Uint8Array): string {
  let binary = '';
  for (let at = 0; at < bytes.length; at += base64Chunk) {
    binary += String.fromCharCode(...bytes.subarray(at, at + base64Chunk));
  }
  return btoa(binary);
}

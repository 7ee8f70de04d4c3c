import {
  type Annotations,
  type CacheHints,
  encodeBase64,
  type Icon,
  isJsonObject,
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
import { assertResult } from './assert-result.ts';
import { toCacheHints } from './cache-hints.ts';
import type { Completer } from './completer.ts';
import { assertMeta } from './meta.ts';
import { isMimeType } from './mime-type.ts';
import { present } from './present.ts';
import { sendableText } from './sendable-text.ts';

/** How a resource is described. `size` is in bytes. Spec: schema#resource (2026-07-28). */
export interface ResourceDefinition {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly mimeType?: string;
  readonly size?: number;
  readonly annotations?: Annotations;
  readonly icons?: readonly Icon[];
  /** `_meta` of the listed entry, under keys like `com.example/owner`; those of the protocol are refused. */
  readonly meta?: JsonObject;
  /** Freshness of what is read: `ttlMs` 0 and `private` unless stated. */
  readonly cache?: Partial<CacheHints>;
}

/** How a family of resources is described. Spec: schema#resourcetemplate (2026-07-28). */
export interface ResourceTemplateDefinition extends Omit<ResourceDefinition, 'size'> {
  /** Suggestions for the template's variables, by variable name. */
  readonly complete?: { readonly [variable: string]: Completer };
}

/**
 * What a reader may return: text, bytes, one or several contents, or a full result. `undefined`: no such resource. What breaks the
 * protocol (no contents at all, contents with both text and blob) is -32603, and the cause in the log names the path and the rule.
 */
export type ResourceReturn =
  | string
  | Uint8Array
  | ResourceContents
  | readonly ResourceContents[]
  | (Omit<ReadResourceResult, keyof CacheHints> & Partial<CacheHints>)
  | undefined;

/**
 * Reads one resource. Reads run side by side and in no order. `undefined` means that there is no such resource
 * (-32602).
 *
 * A thrown `ProtocolError` becomes the error response with its code; whatever else is thrown is -32603 with a
 * reference, under which the cause is logged. `context.signal` aborts when the caller cancels or goes away; a handler
 * that ignores it runs on, and its result is dropped. There is no time limit.
 *
 * Spec: server/resources#error-handling, basic/patterns/cancellation (2026-07-28).
 */
export type ResourceHandler = (uri: string, context: RequestContext) => ResourceReturn | Promise<ResourceReturn>;

/** Variables of a template as they stood in the URI, percent-decoded; an exploded one is a list. */
export type TemplateVariables = { readonly [name: string]: string | readonly string[] };

/**
 * Reads a resource of a family, as {@link ResourceHandler} does a single one. `undefined` passes the URI on to the next
 * template that matches it; -32602 when there is none. What it throws is the answer, and no other template is asked.
 *
 * Spec: server/resources#resource-templates (2026-07-28).
 */
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

/**
 * @throws TypeError when the URI is not absolute (RFC 3986) or too long for a cursor, `mimeType` is no MIME type, or a
 *   key of `meta` breaks a rule.
 */
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
 * @throws UriTemplateError when the template breaks RFC 6570; TypeError when it is too long for a cursor, `complete` names a
 *   variable that it does not have, `mimeType` is no MIME type, or a key of `meta` breaks a rule.
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

/**
 * Turns what a reader returned into a result, or answers `undefined` when there is no such resource.
 *
 * @throws TypeError when the result breaks the protocol.
 */
export function toReadResult(
  uri: string,
  mimeType: string | undefined,
  cache: CacheHints,
  returned: ResourceReturn,
): ReadResourceResult | undefined {
  if (returned === undefined) return undefined;
  const about = { uri, ...present({ mimeType }) };
  if (typeof returned === 'string') return { contents: [{ ...about, text: sendableText(returned) }], ...cache };
  if (returned instanceof Uint8Array) return { contents: [{ ...about, blob: encodeBase64(returned) }], ...cache };
  const result = toFullResult(returned, cache);
  assertResult('resources/read', result);
  return result;
}

function toFullResult(
  returned: Exclude<ResourceReturn, string | Uint8Array | undefined>,
  cache: CacheHints,
): ReadResourceResult {
  if (Array.isArray(returned)) return { contents: returned as readonly ResourceContents[], ...cache };
  if (isJsonObject(returned) && 'contents' in returned)
    return { ...(returned as ReadResourceResult), ...toCacheHints(returned, cache, 'result') };
  return { contents: [returned as ResourceContents], ...cache };
}

function describe(definition: ResourceDefinition): Omit<Resource, 'uri'> {
  const { name, title, description, mimeType, size, annotations, icons, meta } = definition;
  assertMeta(`resource ${name}`, meta);
  if (mimeType !== undefined && !isMimeType(mimeType))
    throw new TypeError(`resource ${name}: ${JSON.stringify(mimeType)} is no MIME type, for example text/plain`);
  return { name, ...present({ title, description, mimeType, size, annotations, icons, _meta: meta }) };
}

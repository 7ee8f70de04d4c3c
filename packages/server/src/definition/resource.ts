import {
  type Annotations,
  assertHandler,
  assertKnownOptions,
  assertText,
  type CacheHints,
  type Icon,
  type JsonObject,
  type KnownOptions,
  parseUriTemplate,
  present,
  type Resource,
  type ResourceTemplate,
  type Skill,
  toLimit,
  type UriTemplate,
} from '@switchyard/protocol';

import { assertListable } from './assert-listable.ts';
import { toScopes } from '../authorization/scopes.ts';
import type { RequestContext } from '../handler/request-context.ts';
import { compileCacheHints } from './cache-hints.ts';
import type { Completer } from './completer.ts';
import { assertIcons } from './icons.ts';
import { assertMeta } from './meta.ts';
import { isMimeType } from './mime-type.ts';
import type { ResourceReturn, ReturnRules } from './resource-return.ts';
import { compileSegments, type SegmentOptions, type Segments } from './segments.ts';
import {
  type CheckVariables,
  compileVariables,
  type TemplateValues,
  type VariableRules,
} from './template-variables.ts';
import type { ValueSchema } from '../schema/value-schema.ts';

/** How a resource is described. `size` is in bytes. Spec: schema#resource (2026-07-28). */
export interface ResourceDefinition {
  /** A name for programs; shown where there is no `title`. */
  readonly name: string;
  /** The name that people read. Default: `name`. */
  readonly title?: string;
  /** What it holds: models read it to choose. */
  readonly description?: string;
  /** The type of what is read, where it does not say so itself. */
  readonly mimeType?: string;
  /** How large it is, in bytes, before Base64; absent where that is not known. */
  readonly size?: number;
  /** Hints for hosts: whom it is for, how much it matters, when it last changed. */
  readonly annotations?: Annotations;
  /** Icons that hosts may show; absent: none. */
  readonly icons?: readonly Icon[];
  /** `_meta` of the listed entry, under keys like `com.example/owner`; those of the protocol are refused. */
  readonly meta?: JsonObject;
  /** Freshness of what is read: `ttlMs` 0 and `private` unless stated. */
  readonly cache?: Partial<CacheHints>;
  /**
   * The most that one read sends of a returned source or stream, in bytes: default 1,048,576, at most 67,108,864. Where
   * there is more, the content's `_meta` says so. A template with `segments` has limits of its own.
   */
  readonly maxReadBytes?: number;
  /**
   * Scopes that the caller must hold, all of them or broader ones: default none. Without them the handler does not run,
   * and over HTTP the caller gets 403 with a challenge that names them all; one whom nobody authenticated gets 401.
   * Over stdio the `principal` of `serveStdio` says what the local user may.
   *
   * Spec: basic/authorization#scope-challenge-handling (2026-07-28).
   */
  readonly scopes?: readonly string[];
  /**
   * Version of the handler, default none: change it when steps or questions come to mean something else under the same
   * keys. Request state of another version is refused.
   */
  readonly handlerVersion?: string;
}

/** The members of {@link ResourceDefinition}. */
export const resourceOptions: KnownOptions<ResourceDefinition> = {
  name: true,
  title: true,
  description: true,
  mimeType: true,
  size: true,
  annotations: true,
  icons: true,
  meta: true,
  cache: true,
  maxReadBytes: true,
  scopes: true,
  handlerVersion: true,
};

/**
 * How a family of resources is described, and what its variables may be. Spec: schema#resourcetemplate (2026-07-28).
 */
export interface ResourceTemplateDefinition<V extends ValueSchema | undefined = ValueSchema | undefined>
  extends Omit<ResourceDefinition, 'size'>, VariableRules<V> {
  /** Suggestions for the template's variables, by variable name. */
  readonly complete?: { readonly [variable: string]: Completer };
  /**
   * Offers the resources in segments: the template must end in `{?offset,limit}` or `{&offset,limit}`, which the
   * handler and the schema of the variables do not see. With `version` beside them, the link to the next segment holds
   * the version of the source, and is refused once that has changed.
   */
  readonly segments?: SegmentOptions;
}

const { size: _, ...sharedOptions } = resourceOptions;
const templateOptions: KnownOptions<ResourceTemplateDefinition> = {
  ...sharedOptions,
  variables: true,
  maxVariableChars: true,
  admit: true,
  complete: true,
  segments: true,
};

/**
 * Reads one resource. Reads run side by side and in no order. `undefined` means that there is no such resource
 * (-32602).
 *
 * A thrown `ProtocolError` becomes the error response with its code; whatever else is thrown is -32603 with a
 * reference, under which the cause is logged. `context.signal` aborts when the caller cancels or goes away; a handler
 * that ignores it runs on, and its result is dropped. So it is after `timeoutMs` of the server: -32603.
 *
 * Spec: server/resources#error-handling, basic/patterns/cancellation (2026-07-28).
 */
export type ResourceHandler = (uri: string, context: RequestContext) => ResourceReturn | Promise<ResourceReturn>;

/**
 * Reads a resource of a family, as {@link ResourceHandler} does a single one. Its variables have passed their schema
 * and hold nothing that is dangerous in a path; a URI that breaks either is -32602, and no other template is asked.
 * `undefined` passes the URI on to the next template that matches it; -32602 when there is none. What it throws is the
 * answer, and no other template is asked.
 *
 * Spec: server/resources#resource-templates (2026-07-28).
 */
export type ResourceTemplateHandler<V extends ValueSchema | undefined = ValueSchema | undefined> = (
  variables: TemplateValues<V>,
  context: RequestContext,
) => ResourceReturn | Promise<ResourceReturn>;

/** A resource ready to be served. */
export interface CompiledResource {
  readonly listed: Resource;
  /** Whether it is in the list of resources; others are read by whoever has the URI. */
  readonly isListed: boolean;
  /** The skill whose `SKILL.md` it is. */
  readonly skill?: Skill;
  readonly rules: ReturnRules;
  readonly scopes: readonly string[];
  readonly handlerVersion: string | undefined;
  readonly handler: ResourceHandler;
}

/** A template ready to be served. */
export interface CompiledResourceTemplate {
  readonly listed: ResourceTemplate;
  readonly template: UriTemplate;
  readonly rules: ReturnRules;
  readonly complete: { readonly [variable: string]: Completer };
  readonly checkVariables: CheckVariables;
  readonly segments: Segments | undefined;
  readonly scopes: readonly string[];
  readonly handlerVersion: string | undefined;
  readonly handler: (variables: JsonObject, context: RequestContext) => ResourceReturn | Promise<ResourceReturn>;
}

const stale: CacheHints = { ttlMs: 0, cacheScope: 'private' };
const MAX_READ_BYTES = 1_048_576;
const MOST_READ_BYTES = 67_108_864;

/**
 * @throws TypeError when the URI is not absolute (RFC 3986) or too long for a cursor, `mimeType` is no MIME type, a key
 *   of `meta` breaks a rule, a limit is out of range, the definition lacks a name or has a member that it does not
 *   know, or the handler is no function.
 */
export function compileResource(
  uri: string,
  definition: ResourceDefinition,
  handler: ResourceHandler,
): CompiledResource {
  if (!URL.canParse(uri))
    throw new TypeError(`resource ${JSON.stringify(uri)}: the URI must be absolute, for example policy://refunds`);
  assertListable('resource', uri);
  assertKnownOptions(`resource ${uri}`, definition, resourceOptions);
  assertNamed(`resource ${uri}`, definition);
  assertHandler(`resource ${uri}`, handler);
  return {
    listed: { uri, ...describe(definition) },
    isListed: true,
    rules: returnRules(definition),
    scopes: toScopes(`resource ${uri}: scopes`, definition.scopes ?? []),
    handlerVersion: definition.handlerVersion,
    handler,
  };
}

/**
 * @throws UriTemplateError when the template breaks RFC 6570; TypeError when it is too long for a cursor, `complete`,
 *   `admit` or the schema names a variable that it does not have, the schema has no place for one that it has, segments
 *   are asked for without `{?offset,limit}` at its end, `mimeType` is no MIME type, a key of `meta` breaks a rule, a
 *   limit is out of range, the definition lacks a name or has a member that it does not know, or the handler is no
 *   function.
 */
export function compileResourceTemplate<V extends ValueSchema | undefined>(
  uriTemplate: string,
  definition: ResourceTemplateDefinition<V>,
  handler: ResourceTemplateHandler<V>,
): CompiledResourceTemplate {
  assertText('resource template: the URI template, which comes first,', uriTemplate);
  const template = parseUriTemplate(uriTemplate);
  const about = `resource template ${uriTemplate}`;
  assertListable('resource template', uriTemplate);
  assertKnownOptions<ResourceTemplateDefinition>(about, definition, templateOptions);
  assertNamed(about, definition);
  assertHandler(about, handler);
  const complete = definition.complete ?? {};
  for (const variable of Object.keys(complete)) {
    if (!template.variables.includes(variable))
      throw new TypeError(`${about}: it has no variable "${variable}" to complete`);
  }
  const segments =
    definition.segments === undefined ? undefined : compileSegments(about, template, definition.segments);
  const names = template.variables.filter((name) => segments?.names.has(name) !== true);
  return {
    listed: { uriTemplate, ...describe(definition) },
    template,
    rules: returnRules(definition),
    complete,
    checkVariables: compileVariables(about, names, template, definition),
    segments,
    scopes: toScopes(`${about}: scopes`, definition.scopes ?? []),
    handlerVersion: definition.handlerVersion,
    handler: handler as CompiledResourceTemplate['handler'],
  };
}

function assertNamed(about: string, { name }: { readonly name: string }): void {
  if (typeof name !== 'string' || name === '') throw new TypeError(`${about}: the definition needs a \`name\`, a text`);
}

function returnRules({ mimeType, cache, maxReadBytes = MAX_READ_BYTES, name }: ResourceDefinition): ReturnRules {
  return {
    mimeType,
    cache: compileCacheHints(`resource ${name}, cache`, cache, stale),
    maxReadBytes: toLimit(`resource ${name}: maxReadBytes`, maxReadBytes, 4, MOST_READ_BYTES),
  };
}

function describe(definition: ResourceDefinition): Omit<Resource, 'uri'> {
  const { name, title, description, mimeType, size, annotations, icons, meta } = definition;
  assertMeta(`resource ${name}`, meta);
  assertIcons(`resource ${name}`, icons);
  if (mimeType !== undefined && !isMimeType(mimeType))
    throw new TypeError(`resource ${name}: ${JSON.stringify(mimeType)} is no MIME type, for example text/plain`);
  return { name, ...present({ title, description, mimeType, size, annotations, icons, _meta: meta }) };
}

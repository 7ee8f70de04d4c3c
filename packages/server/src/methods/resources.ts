import { clip, type JsonObject, type ParamsOf, ProtocolError, type ReadResourceResult } from '@switchyard/protocol';

import { assertScopes } from '../authorization/assert-scopes.ts';
import type { Catalog } from '../catalog/catalog.ts';
import { serving } from '../dispatch/served-request.ts';
import { MAX_URI_CHARS } from '../definition/max-uri-chars.ts';
import type { CompiledResourceTemplate } from '../definition/resource.ts';
import { type AskedSegment, toReadResult } from '../definition/resource-return.ts';
import { InputRequired } from '../handler/input-required.ts';
import type { RequestContext } from '../handler/request-context.ts';

/** What resources are looked for in. */
export type Readable = Pick<Catalog, 'resources' | 'orderedTemplates'>;

const notFound = new WeakSet<object>();

/**
 * Answers whether {@link readResource} threw this because nobody has such a resource, so that it may be looked for
 * elsewhere.
 */
export function isResourceNotFound(thrown: unknown): boolean {
  return typeof thrown === 'object' && thrown !== null && notFound.has(thrown);
}

/**
 * Reads a resource: the one with exactly this URI, else the first template, most specific first, that matches and knows
 * it. A template whose variables break their schema, or lead out of where they should, ends the search (-32602).
 *
 * Spec: server/resources#reading-resources (2026-07-28).
 */
export async function readResource(
  catalog: Readable,
  params: JsonObject,
  context: RequestContext,
): Promise<ReadResourceResult | InputRequired> {
  const { uri } = params as ParamsOf<'resources/read'>;
  const signal = (): AbortSignal => context.signal;
  const resource = catalog.resources.get(uri);
  if (resource !== undefined) {
    assertScopes(context.principal, resource.scopes);
    const returned = await resource.handler(uri, context);
    if (returned !== undefined) serving.returned(context);
    if (returned instanceof InputRequired) return returned;
    const result = await toReadResult(uri, resource.rules, returned, signal);
    if (result !== undefined) return result;
  }
  if (uri.length > MAX_URI_CHARS)
    throw invalid(clip(uri, 256), `The URI has ${uri.length} characters; at most ${MAX_URI_CHARS} are read`);
  for (const entry of catalog.orderedTemplates) {
    const variables = entry.template.match(uri);
    if (variables === undefined) continue;
    assertScopes(context.principal, entry.scopes);
    const asked = askedSegment(uri, entry, variables);
    const checked = await entry.checkVariables(variables, uri);
    if ('problem' in checked) throw invalidVariables(uri, entry, checked.problem);
    const returned = await entry.handler(checked.value as JsonObject, context);
    if (returned !== undefined) serving.returned(context);
    if (returned instanceof InputRequired) return returned;
    const result = await toReadResult(uri, entry.rules, returned, signal, asked);
    if (result !== undefined) return result;
  }
  const error = invalid(uri, 'Resource not found');
  notFound.add(error);
  throw error;
}

function askedSegment(
  uri: string,
  entry: CompiledResourceTemplate,
  variables: Record<string, unknown>,
): AskedSegment | undefined {
  const { segments } = entry;
  if (segments === undefined) return undefined;
  const wanted = segments.take(variables);
  if (typeof wanted === 'string') throw invalidVariables(uri, entry, wanted);
  return { segments, wanted };
}

function invalidVariables(uri: string, { listed }: CompiledResourceTemplate, problem: string): ProtocolError {
  return invalid(uri, `The URI breaks the rules of ${clip(listed.uriTemplate, 200)}: ${clip(problem, 500)}`);
}

function invalid(uri: string, message: string): ProtocolError {
  return new ProtocolError('invalidParams', message, { data: { uri } });
}

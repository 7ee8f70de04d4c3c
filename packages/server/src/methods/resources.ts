import { type JsonObject, type ParamsOf, ProtocolError, type ReadResourceResult } from '@switchyard/protocol';

import type { Catalog } from '../catalog.ts';
import { toReadResult } from '../definition/resource.ts';
import type { RequestContext } from '../request-context.ts';

/**
 * Reads a resource: the one with exactly this URI, else the first template, most specific first, that matches and knows it.
 *
 * Spec: server/resources#reading-resources (2026-07-28).
 */
export async function readResource(
  catalog: Catalog,
  params: JsonObject,
  context: RequestContext,
): Promise<ReadResourceResult> {
  const { uri } = params as ParamsOf<'resources/read'>;
  const resource = catalog.resources.get(uri);
  if (resource !== undefined) {
    const returned = await resource.handler(uri, context);
    const result = toReadResult(uri, resource.listed.mimeType, resource.cache, returned);
    if (result !== undefined) return result;
  }
  for (const { template, listed, cache, handler } of catalog.orderedTemplates) {
    const variables = template.match(uri);
    if (variables === undefined) continue;
    const result = toReadResult(uri, listed.mimeType, cache, await handler(variables, context));
    if (result !== undefined) return result;
  }
  throw new ProtocolError('invalidParams', 'Resource not found', { data: { uri } });
}

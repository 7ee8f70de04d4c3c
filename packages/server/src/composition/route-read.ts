import type { ParamsOf } from '@switchyard/protocol';

import { derived } from '../definition/derived.ts';
import type { MethodHandler } from '../dispatch/endpoint.ts';
import { isResourceNotFound, type Readable } from '../methods/resources.ts';
import { type Mount, mountOf, type Part } from './part.ts';

/**
 * Makes the handler of `resources/read`: whoever has the resource with exactly this URI is asked first, then whoever
 * has the most specific template, and so on. Each server is asked once, with all that it has, and one that does not
 * know the resource passes it on.
 */
export function routeRead(
  part: Part,
  read: (readable: () => Readable) => MethodHandler,
  through: ReadonlyMap<Mount, MethodHandler>,
): MethodHandler {
  if (through.size === 0) return read(() => part.catalog());
  const throughOf = (kind: 'resources' | 'templates', key: string): MethodHandler | undefined => {
    const mount = mountOf(part, kind, key);
    return mount === undefined ? undefined : through.get(mount);
  };
  const own = read(createRest(part, (kind, key) => throughOf(kind, key) === undefined));
  return async (params, context) => {
    const { uri } = params as ParamsOf<'resources/read'>;
    const { resources, orderedTemplates } = part.catalog();
    const asked = new Set<MethodHandler>();
    if (resources.has(uri)) asked.add(throughOf('resources', uri) ?? own);
    for (const { listed, template } of orderedTemplates)
      if (template.match(uri) !== undefined) asked.add(throughOf('templates', listed.uriTemplate) ?? own);
    let missing: unknown;
    for (const handler of asked) {
      try {
        return await handler(params, context);
      } catch (thrown) {
        if (!isResourceNotFound(thrown)) throw thrown;
        missing = thrown;
      }
    }
    if (missing !== undefined) throw missing;
    return own(params, context);
  };
}

/**
 * Makes the function that answers what of a server's resources is read without passing interceptors of a mounted one.
 */
function createRest(part: Part, isOwn: (kind: 'resources' | 'templates', key: string) => boolean): () => Readable {
  return derived(
    () => part.catalog(),
    ({ resources, orderedTemplates }) => ({
      resources: new Map([...resources].filter(([uri]) => isOwn('resources', uri))),
      orderedTemplates: orderedTemplates.filter(({ listed }) => isOwn('templates', listed.uriTemplate)),
    }),
  );
}

import { clip, type JsonObject, type ParamsOf, ProtocolError } from '@switchyard/protocol';

import type { Endpoint, Serialised } from '../dispatch/endpoint.ts';
import type { SkillCatalog } from './skill-catalog.ts';

/**
 * Makes the methods of skills: a URI that names none is -32602.
 *
 * Spec: SEP-2640.
 */
export function createSkillMethods(skills: () => SkillCatalog): Endpoint['handlers'] {
  return {
    'skills/list': (params) => skills().page((params as ParamsOf<'skills/list'>).cursor),
    'skills/get': (params) => found('skill', params, (uri) => skills().get(uri)),
    'resources/directory/read': (params) =>
      found('directory', params, (uri) =>
        skills().directory(uri, (params as ParamsOf<'resources/directory/read'>).cursor),
      ),
  };
}

function found(what: string, params: JsonObject, find: (uri: string) => Serialised | undefined): Serialised {
  const { uri } = params as ParamsOf<'skills/get'>;
  const result = find(uri);
  if (result !== undefined) return result;
  throw new ProtocolError('invalidParams', `There is no ${what} ${clip(uri, 256)}`, {
    data: { uri: clip(uri, 1_024) },
  });
}

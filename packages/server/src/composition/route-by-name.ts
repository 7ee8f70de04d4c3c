import type { JsonObject, ModernMethodName, ParamsOf } from '@switchyard/protocol';

import type { MethodHandler } from '../dispatch/endpoint.ts';
import type { Kind } from '../catalog/kinds.ts';
import { exposedKey, innerKey } from './exposed-key.ts';
import { type Mount, mountOf, type Part } from './part.ts';

/** How the params of a method name the one definition that they are for. */
export interface Address {
  /** Where it is looked for, first to last, and by which key. */
  read(params: JsonObject): { readonly kinds: readonly [Kind, ...Kind[]]; readonly key: string };
  /** Answers the params with another key. */
  write(params: JsonObject, key: string): JsonObject;
}

const byName = (kind: Kind): Address => ({
  read: ({ name }) => ({ kinds: [kind], key: name as string }),
  write: (params, name) => ({ ...params, name }),
});

/** The methods whose requests are for one definition, which a key names. */
export const addressed: { readonly [M in ModernMethodName]?: Address } = {
  'tools/call': byName('tools'),
  'prompts/get': byName('prompts'),
  'completion/complete': {
    read(params) {
      const { ref } = params as ParamsOf<'completion/complete'>;
      return ref.type === 'ref/prompt'
        ? { kinds: ['prompts'], key: ref.name }
        : { kinds: ['templates', 'resources'], key: ref.uri };
    },
    write(params, key) {
      const { ref } = params as ParamsOf<'completion/complete'>;
      return { ...params, ref: ref.type === 'ref/prompt' ? { ...ref, name: key } : { ...ref, uri: key } };
    },
  },
};

/**
 * Makes the handler that sends a request through the mounted server that its definition comes from, under the key that
 * it has there. What comes out of that server's interceptors is for `handler`, under the key that it has here.
 */
export function routeByName(
  part: Part,
  address: Address,
  handler: MethodHandler,
  through: (toHost: (mount: Mount) => MethodHandler) => ReadonlyMap<Mount, MethodHandler>,
): MethodHandler {
  const handlers = through(({ prefix }) => (params, context) => {
    const { kinds, key } = address.read(params);
    return handler(address.write(params, exposedKey(prefix, kinds[0], key)), context);
  });
  if (handlers.size === 0) return handler;
  return (params, context) => {
    const { kinds, key } = address.read(params);
    for (const kind of kinds) {
      const mount = mountOf(part, kind, key);
      const mounted = mount === undefined ? undefined : handlers.get(mount);
      if (mount === undefined || mounted === undefined) continue;
      return mounted(address.write(params, innerKey(mount.prefix, kind, key) ?? key), context);
    }
    return handler(params, context);
  };
}

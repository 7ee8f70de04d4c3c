import type { ModernMethodName } from '@switchyard/protocol';

import type { Endpoint, MethodHandler } from '../dispatch/endpoint.ts';
import { kindListedBy } from '../catalog/kinds.ts';
import type { Readable } from '../methods/resources.ts';
import { intercept } from './intercept.ts';
import type { InterceptSite } from './intercept-site.ts';
import type { Mount, Part } from './part.ts';
import { addressed, routeByName } from './route-by-name.ts';
import { routeList } from './route-list.ts';
import { routeRead } from './route-read.ts';

/**
 * The handlers of an endpoint without interceptors, and what it takes to put some between a server and those mounted in
 * it.
 */
export interface PlainHandlers extends InterceptSite {
  readonly handlers: Endpoint['handlers'];
  readonly discover: MethodHandler;
  /** Makes the handler of `resources/read` that looks in a part of the resources. */
  read(readable: () => Readable): MethodHandler;
}

/**
 * Makes the handlers that an endpoint serves a composition with. A request passes the interceptors of the server and
 * then, under its name there, those of each mounted server on the way to the definition that it is for. Where no
 * interceptor is, the plain handlers are served as they are.
 */
export function composeHandlers(part: Part, plain: PlainHandlers): Endpoint['handlers'] {
  if (!isIntercepted(part)) return plain.handlers;
  const handlers: Endpoint['handlers'] = {
    ...plain.handlers,
    // One object stands for every request, and an interceptor may not change what others get.
    'server/discover': async (params, context) => structuredClone(await plain.discover(params, context)),
  };
  return Object.fromEntries(
    Object.entries(handlers).map(([method, handler]) => [
      method,
      wrapped(part, method as ModernMethodName, handler, plain),
    ]),
  );
}

/**
 * The handler of a method as one server of a composition serves it to what it is mounted in; `handler` takes it from
 * there.
 */
function wrapped(part: Part, method: ModernMethodName, handler: MethodHandler, plain: PlainHandlers): MethodHandler {
  const interception = {
    interceptors: [...part.interceptors],
    outputOf: (tool: string) => part.catalog().tools.get(tool)?.output,
  };
  return intercept(method, routed(part, method, handler, plain), interception, plain);
}

function routed(part: Part, method: ModernMethodName, handler: MethodHandler, plain: PlainHandlers): MethodHandler {
  const through = (toHost: (mount: Mount) => MethodHandler): ReadonlyMap<Mount, MethodHandler> =>
    new Map(
      part.mounts
        .filter((mount) => isIntercepted(mount.part))
        .map((mount) => [mount, wrapped(mount.part, method, toHost(mount), plain)]),
    );
  const address = addressed[method];
  if (address !== undefined) return routeByName(part, address, handler, through);
  const kind = kindListedBy(method);
  if (kind !== undefined)
    return routeList(
      part,
      kind,
      through(() => handler),
    );
  if (method === 'resources/read')
    return routeRead(
      part,
      plain.read,
      through(() => handler),
    );
  return handler;
}

function isIntercepted(part: Part): boolean {
  return part.interceptors.length > 0 || part.mounts.some((mount) => isIntercepted(mount.part));
}

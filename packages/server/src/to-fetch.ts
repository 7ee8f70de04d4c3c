import { assertKnownOptions } from '@switchyard/protocol';

import type { Closable } from './http/closable.ts';
import { endpointToFetch, type FetchHandler } from './http/endpoint-to-fetch.ts';
import { type HttpOptions, httpOptions } from './http/http-options.ts';
import { chosenLegacy } from './legacy/legacy-choice.ts';
import { optionOwners } from './option-owners.ts';
import type { Server } from './server.ts';

/**
 * Turns a server into a fetch handler. It serves whatever path it is mounted at. Behind a runtime that does not pass the `Host`
 * header, the host of the request's URL is checked. A request whose body was read before gets status 500 and -32603, which say so.
 *
 * Nothing is served before the keys for request state are there, which the first request asks for. With the development key alone and a
 * name in `allowedHosts` that is not a loopback one, each request gets 500 and -32603, and the log says what to do.
 *
 * Close it when the runtime has stopped to listen: nothing else ends the sessions of old clients.
 */
export function toFetch(server: Server, options: HttpOptions = {}): FetchHandler & Closable {
  assertKnownOptions('toFetch', options, httpOptions, optionOwners);
  const { legacy, ...rest } = options;
  return endpointToFetch(server.endpoint(), { ...rest, ...chosenLegacy(legacy) });
}

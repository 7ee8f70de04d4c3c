import { assertKnownOptions, createSafeLogger, ProtocolError } from '@switchyard/protocol';
import type { IncomingMessage, ServerResponse } from 'node:http';

import type { Server } from '../server.ts';
import { optionOwners } from '../option-owners.ts';
import type { Endpoint } from '../dispatch/endpoint.ts';
import { errorText } from '../dispatch/error-reply.ts';
import { type Closable, createClosable } from '../http/closable.ts';
import { createHttpServing, type HttpHandler } from '../http/http-handler.ts';
import type { EndpointHttpOptions } from '../http/http-options.ts';
import { createPreparedHandler } from '../http/prepared-handler.ts';
import { jsonHeaders } from '../http/json-headers.ts';
import { createLimitedLogger } from '../limits/limited-logger.ts';
import { NodeExchange, type NodeExchangeSite } from './node-exchange.ts';
import { nodeDefaults } from './node-defaults.ts';
import { type NodeHttpOptions, nodeHttpOptions, toEndpointOptions } from './node-http-options.ts';
import { createUnreadResponses, type CutReason, type UnreadResponseOptions } from './unread-responses.ts';

/** A listener for `node:http` and whatever is built on it (Express, Fastify's raw pair, Connect). */
export type NodeHandler = (request: IncomingMessage, response: ServerResponse) => void;

/**
 * Turns a server into a `node:http` listener. It serves whatever path it is mounted at, and reads the body itself:
 * mount it before any body parser. What a parser in front has left in `request.body` is taken in its place, within
 * `maxBodyBytes`; where it left nothing, the request is answered with status 500 and -32603, which say so. Where
 * somebody in front called `setEncoding`, what that could not decode counts as sent.
 *
 * Nothing is served before the keys for request state are there. With the development key alone and a name in
 * `allowedHosts` that is not a loopback one, each request gets 500 and -32603, and the log says at once what to do.
 *
 * Close it when the server that it is mounted in has stopped to listen: nothing else ends the sessions of old clients.
 */
export function toNode(server: Server, options: NodeHttpOptions = {}): NodeHandler & Closable {
  assertKnownOptions('toNode', options, nodeHttpOptions, optionOwners);
  return endpointToNode(server.endpoint(nodeDefaults()), toEndpointOptions(options));
}

/**
 * Turns an endpoint into a `node:http` listener; for old clients, too, where `legacy` is given. It has `prepare`
 * called.
 */
export function endpointToNode(
  endpoint: Endpoint,
  options: EndpointHttpOptions & UnreadResponseOptions = {},
): NodeHandler & Closable {
  assertKnownOptions('endpointToNode', options, nodeHttpOptions);
  const serving = createHttpServing(endpoint, options);
  const { handle, prepare } = createPreparedHandler(endpoint, options, serving.handle);
  void prepare();
  return Object.assign(handlerToNode(endpoint, handle, options), createClosable(endpoint, serving));
}

/** Turns the handler of an endpoint that is prepared, or that sees to it itself, into a `node:http` listener. */
export function handlerToNode(endpoint: Endpoint, handle: HttpHandler, options: UnreadResponseOptions): NodeHandler {
  const logger = createSafeLogger(endpoint.logger);
  // Whoever reads nothing can make any number of these.
  const limited = createLimitedLogger(logger, endpoint);
  const site: NodeExchangeSite = {
    takesValues: endpoint.exactIntegers !== true,
    unread: createUnreadResponses(options, {
      now: () => endpoint.now(),
      onCut: (reason) => limited.warn({}, cutOffLines[reason]),
    }),
  };
  return (request, response) => {
    const exchange = new NodeExchange(request, response, site);
    handle(exchange).catch((error: unknown) => {
      logger.error({ err: error }, 'the HTTP exchange failed');
      if (error instanceof ProtocolError && !response.headersSent)
        exchange.reply(error.status, jsonHeaders, errorText(undefined, error));
      else response.destroy();
    });
  };
}

const cutOffLines: { readonly [reason in CutReason]: string } = {
  'too-much': 'a caller who did not read its response was cut off: more than maxUnreadBytes lay unread',
  stalled: 'a caller who did not read its response was cut off: it has read nothing for a minute',
};

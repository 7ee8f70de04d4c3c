import { assertKnownOptions, createSafeLogger, type Logger } from '@switchyard/protocol';

import type { Endpoint } from '../dispatch/endpoint.ts';
import { errorText } from '../dispatch/error-reply.ts';
import { bodyReadBefore } from './body-read-before.ts';
import { type Closable, createClosable } from './closable.ts';
import { createFetchExchange } from './fetch-exchange.ts';
import { createHttpServing } from './http-handler.ts';
import { type EndpointHttpOptions, httpOptions } from './http-options.ts';
import { createPreparedHandler } from './prepared-handler.ts';
import { jsonHeaders } from './json-headers.ts';

/** Serves a request of a fetch runtime (Hono, Deno, Bun, workers). */
export type FetchHandler = (request: Request) => Promise<Response>;

/**
 * Turns an endpoint into a fetch handler; for old clients, too, where `legacy` is given. The first request has
 * `prepare` called.
 */
export function endpointToFetch(endpoint: Endpoint, options: EndpointHttpOptions = {}): FetchHandler & Closable {
  assertKnownOptions('endpointToFetch', options, httpOptions);
  const serving = createHttpServing(endpoint, options);
  const { handle } = createPreparedHandler(endpoint, options, serving.handle);
  const logger = createSafeLogger(endpoint.logger);
  const serve: FetchHandler = (request) =>
    new Promise((resolve, reject) => {
      // A body that somebody holds a reader of is read by nobody else either.
      if (request.bodyUsed || request.body?.locked === true) {
        resolve(refuseReadBefore(logger));
        return;
      }
      let isAnswered = false;
      const exchange = createFetchExchange(request, (response) => {
        isAnswered = true;
        resolve(response);
      });
      handle(exchange).then(
        () => {
          // A caller who went away gets no reply; the runtime still wants a response to settle on.
          if (!isAnswered) resolve(new Response(null, { status: 400 }));
        },
        (error: unknown) => {
          exchange.fail(error);
          reject(error);
        },
      );
    });
  return Object.assign(serve, createClosable(endpoint, serving));
}

function refuseReadBefore(logger: Logger): Response {
  const error = bodyReadBefore('hand the request over before anything reads it');
  logger.error({ err: error }, 'the HTTP exchange failed');
  return new Response(errorText(undefined, error), { status: error.status, headers: { ...jsonHeaders } });
}

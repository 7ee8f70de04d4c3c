import type { Transport } from '../message/connection.ts';
import { describeUrl, namedHeaders } from './endpoint.ts';
import type { HttpTransportOptions } from './http-options.ts';
import { openHttpConnection } from './http-connection.ts';
import { identityOf } from './identity-of.ts';
import { openExchanges } from './open-exchanges.ts';
import { secretsOf } from './secrets-of.ts';
import { createSseTransport } from './sse-transport.ts';

/**
 * Creates the transport for a Streamable HTTP endpoint. Each message is a POST of its own; an answer is one JSON object
 * or an event stream. Redirects are refused, so that no credential reaches another place than the configured one.
 * Ending a request ends its stream. No message shows the query, user or password of the URL.
 *
 * Spec: basic/transports/streamable-http (2026-07-28).
 */
export function createHttpTransport(options: HttpTransportOptions): Transport {
  const { url, headers = {} } = options;
  return {
    name: describeUrl(url),
    identity: identityOf(url),
    secrets: secretsOf(url, typeof headers === 'function' ? {} : namedHeaders(headers)),
    async open({ context, handlers }) {
      return openHttpConnection(await openExchanges(context, options), handlers);
    },
    ...(options.fallsBackToSse === false ? {} : { older: createSseTransport(options) }),
  };
}

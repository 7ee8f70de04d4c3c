import type { RawClient, RawExchange } from '../raw/raw-client.ts';
import { RawConnectionError, type RawConnectionErrorCode } from '../raw/raw-connection.ts';

/** What a server, or a proxy before it, answers that serves nothing at the moment. */
const busy = new Set([429, 502, 503, 504]);
const wantsCredentials = new Set([401, 403]);
const ending = new Set<RawConnectionErrorCode>(['busy', 'unauthorized', 'given-up']);

/**
 * A raw client whose messages reject where the status says nothing about the request: with a RawConnectionError `busy`
 * for HTTP 429 and 502 to 504, `unauthorized` for 401 and 403. Requests without a body answer whatever came.
 */
export function createAnsweringClient(client: RawClient): RawClient {
  return {
    ...client,
    request: async (...request) => assertAnswered(await client.request(...request)),
    send: async (...message) => assertAnswered(await client.send(...message)),
  };
}

/** Whether an error says nothing about the server, so that nothing may be concluded from the whole conversation. */
export function endsRun(error: unknown): error is RawConnectionError {
  return error instanceof RawConnectionError && ending.has(error.code);
}

function assertAnswered(exchange: RawExchange): RawExchange {
  const { status, sent } = exchange;
  if (status === undefined) return exchange;
  const answered = `${String(sent['method'])} was answered with HTTP ${status}`;
  if (wantsCredentials.has(status))
    throw new RawConnectionError(
      'unauthorized',
      `${answered}: it wants credentials, which go into a header, such as Authorization or x-api-key`,
    );
  if (busy.has(status))
    throw new RawConnectionError('busy', `${answered}: the server is busy or down; try again later`);
  return exchange;
}

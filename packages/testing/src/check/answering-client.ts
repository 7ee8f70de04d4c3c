import type { RawClient, RawExchange } from '../raw/raw-client.ts';
import { RawConnectionError, type RawConnectionErrorCode } from '../raw/raw-connection.ts';

/** What a server, or a proxy before it, answers that serves nothing at the moment. */
const busy = new Set([429, 502, 503, 504]);
const wantsCredentials = new Set([401, 403]);
const ending = new Set<RawConnectionErrorCode>(['busy', 'unauthorized', 'given-up']);

/**
 * A raw client whose messages reject where the status says nothing about the request: with a RawConnectionError `busy`
 * for HTTP 429 and 502 to 504, `unauthorized` for 401 and 403 where `server/discover` gets one of these as well. Requests
 * without a body answer whatever came.
 */
export function createAnsweringClient(client: RawClient): RawClient {
  async function judged(exchange: RawExchange): Promise<RawExchange> {
    const refusal = refusalOf(exchange);
    if (refusal === undefined) return assertNotBusy(exchange);
    // It may be what this request gets alone: it was broken on purpose, or wants more rights than others.
    const good = await client.request('whether a good request is served', 'server/discover');
    if (refusalOf(good) !== undefined) throw refusal;
    return exchange;
  }

  return {
    ...client,
    request: async (...request) => judged(await client.request(...request)),
    send: async (...message) => judged(await client.send(...message)),
  };
}

/** Answers the error for a request that was refused for the sake of who sent it, by its status. */
export function refusalOf(exchange: RawExchange): RawConnectionError | undefined {
  const { status } = exchange;
  if (status === undefined || !wantsCredentials.has(status)) return undefined;
  return new RawConnectionError(
    'unauthorized',
    `${nameOf(exchange)}: it wants credentials, which go into a header, such as Authorization or x-api-key`,
  );
}

/** Whether an error says nothing about the server, so that nothing may be concluded from the whole conversation. */
export function endsRun(error: unknown): error is RawConnectionError {
  return error instanceof RawConnectionError && ending.has(error.code);
}

function assertNotBusy(exchange: RawExchange): RawExchange {
  if (exchange.status === undefined || !busy.has(exchange.status)) return exchange;
  throw new RawConnectionError('busy', `${nameOf(exchange)}: the server is busy or down; try again later`);
}

function nameOf({ status, sent }: RawExchange): string {
  return `${String(sent['method'])} was answered with HTTP ${status}`;
}

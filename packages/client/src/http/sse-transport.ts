import { dropBody } from './drop-body.ts';
import type { ClientError } from '../peer/client-error.ts';
import type { Request } from '@switchyard/protocol';
import type { Connection, OpenOptions, Principal, Reply, RequestOptions, Transport } from '../message/connection.ts';
import { withDeadline } from '../timing/deadline.ts';
import { untilAborted } from '../timing/until-aborted.ts';
import { createDuplexConnection, type DuplexConnection } from '../duplex/duplex-connection.ts';
import { excerpt, quoted } from '../peer/excerpt.ts';
import type { PeerContext } from '../peer/peer-context.ts';
import { assertAccepted } from './assert-accepted.ts';
import { describeUrl, namedHeaders } from './endpoint.ts';
import { exchange, type ExchangeSetup } from './exchange.ts';
import { describeCause } from './failed-fetch.ts';
import { plainCause } from './plain-cause.ts';
import type { FetchBody, FetchResponse } from './fetch.ts';
import type { HttpTransportOptions } from './http-options.ts';
import { identityOf } from './identity-of.ts';
import { mediaTypeOf } from './media-type.ts';
import { openExchanges } from './open-exchanges.ts';
import { statusError } from './read-answer.ts';
import { readBeginning } from './read-body.ts';
import { readEventStream } from './read-event-stream.ts';
import { secretsOf } from './secrets-of.ts';
import { STREAM_TYPE } from './take-up-stream.ts';
import type { Hold } from '../timing/hold.ts';

const MAX_ERROR_BODY_BYTES = 64 * 1024;
/** How long handing one message over may take. */
const POST_MS = 60_000;

/**
 * Creates the transport for an HTTP+SSE endpoint of revision 2024-11-05: a GET opens the one stream that all messages
 * of the server come in, its first event says where messages are posted. Only a place of the same origin is posted to,
 * so that no credential reaches another. The era of what is reached is known: `server/discover` is not tried.
 *
 * Spec: 2024-11-05/basic/transports#http-with-sse.
 */
export function createSseTransport(options: HttpTransportOptions): Transport {
  const { url, headers = {} } = options;
  return {
    name: describeUrl(url),
    identity: identityOf(url),
    secrets: secretsOf(url, typeof headers === 'function' ? {} : namedHeaders(headers)),
    async open(opening) {
      const { context } = opening;
      const setup = await openExchanges(context, options);
      try {
        return await openSseConnection(setup, opening);
      } catch (error) {
        await setup.pool.close();
        throw error;
      }
    },
  };
}

async function openSseConnection(
  setup: ExchangeSetup,
  { handlers, hold, signal: opening }: OpenOptions,
): Promise<Connection> {
  const { context, pool, credentials, shown } = setup;
  const closing = new AbortController();
  const listeners = new Set<(principal: Principal) => void>();
  const endpoint = Promise.withResolvers<string>();
  // Whoever opens sees it; afterwards nobody waits for it.
  endpoint.promise.catch(() => undefined);
  const duplex = createDuplexConnection({
    context,
    handlers,
    write: (text) => post(text),
    async close() {
      closing.abort(context.fail('closed', 'the client was closed.'));
      await pool.close();
    },
  });
  const giveUp = (): void => closing.abort(opening.reason);
  opening.addEventListener('abort', giveUp, { once: true });
  try {
    opening.throwIfAborted();
    const body = await openStream(setup, closing.signal, hold);
    read(body).catch(() => {
      // Whoever waits for a message learns that the stream is over; how its sockets end changes nothing.
    });
    await untilAborted(opening, endpoint.promise);
    return { ...duplex.connection, era: 'legacy', request, principal: () => credentials.principal() };
  } catch (error) {
    closing.abort(error);
    throw error;
  } finally {
    opening.removeEventListener('abort', giveUp);
  }

  /** An answer comes on the stream, so of each message that is sent meanwhile it counts in whose name it was. */
  async function request(message: Request, options: RequestOptions): Promise<Reply> {
    const { onSentAs } = options;
    if (onSentAs !== undefined) listeners.add(onSentAs);
    try {
      return await duplex.connection.request(message, options);
    } finally {
      if (onSentAs !== undefined) listeners.delete(onSentAs);
    }
  }

  function tellSentAs(principal: Principal): void {
    for (const listener of listeners) listener(principal);
  }

  async function read(body: FetchBody): Promise<void> {
    const error = await readStream(body, setup, duplex, takePlace);
    endpoint.reject(error);
    duplex.end(error);
    await duplex.connection.close();
  }

  function takePlace(place: string): void {
    try {
      endpoint.resolve(placeOf(context, place, setup.url));
    } catch (error) {
      endpoint.reject(error);
    }
  }

  async function post(text: string): Promise<void> {
    const url = await endpoint.promise;
    const what = 'a message';
    await withDeadline(context, { what, totalMs: POST_MS, signal: closing.signal }, async ({ signal }) => {
      const accept = 'application/json, text/plain, */*';
      const response = await exchange(setup, {
        httpMethod: 'POST',
        url,
        what,
        body: text,
        accept,
        signal,
        onSentAs: tellSentAs,
      });
      await assertAccepted(context, response, { what: `${what} at ${shown}`, signal });
    });
  }
}

/** Answers the error that a stream ends with, however it ends. */
async function readStream(
  body: FetchBody,
  { context, url }: ExchangeSetup,
  duplex: DuplexConnection,
  onEndpoint: (place: string) => void,
): Promise<ClientError> {
  try {
    const end = await readEventStream(body, {
      maxEventLength: context.maxMessageBytes,
      onDone: (reader) => dropBody(reader),
      onData(data) {
        duplex.receive(data);
        return false;
      },
      onOther(event, data) {
        if (event === 'endpoint') onEndpoint(data);
      },
    });
    if (end === 'too-large') {
      return context.fail(
        'too-large',
        `it sent a message over the limit of ${context.maxMessageBytes} bytes, which ended its stream. ` +
          'Ask for less, or raise maxMessageBytes.',
      );
    }
    return context.fail('closed', `its event stream at ${describeUrl(url)} ended.`);
  } catch (error) {
    return context.fail('closed', `its event stream broke: ${describeCause(error)}.`, {
      cause: plainCause(context, error),
    });
  }
}

async function openStream(setup: ExchangeSetup, signal: AbortSignal, hold: Hold | undefined): Promise<FetchBody> {
  const { context } = setup;
  const what = 'a GET for its event stream';
  const response = await exchange(setup, { httpMethod: 'GET', what, accept: STREAM_TYPE, signal, hold });
  if (response.status !== 200) {
    const { bytes } = await readBeginning(response.body, { clock: context.clock, maxBytes: MAX_ERROR_BODY_BYTES });
    signal.throwIfAborted();
    throw statusError(context, response, what, new TextDecoder().decode(bytes));
  }
  return streamOf(context, response);
}

function streamOf(context: PeerContext, response: FetchResponse): FetchBody {
  const type = mediaTypeOf(response.headers.get('content-type'));
  if (type === STREAM_TYPE && response.body !== null) return response.body;
  dropBody(response.body);
  throw context.fail(
    'invalid-response',
    `it answered a GET with ${type === undefined ? 'no media type' : quoted(type)} where an event stream is due. ` +
      'Look whether the URL is that of the MCP endpoint.',
  );
}

function placeOf(context: PeerContext, place: string, base: string): string {
  const url = URL.parse(place, base);
  const { origin, protocol } = new URL(base);
  // A URL like blob:http://… has the origin of the one in it.
  if (url !== null && url.origin === origin && url.protocol === protocol) {
    url.username = '';
    url.password = '';
    url.hash = '';
    // The id of the session is one of them: whoever has it has the session.
    for (const value of url.searchParams.values()) context.learnSecret(value, 'server');
    return url.href;
  }
  throw context.fail(
    'invalid-response',
    `its event "endpoint" names ${url === null ? excerpt(place, 40) : describeUrl(url)}, which is not of the origin of ` +
      'its own URL; messages and credentials are not sent there.',
  );
}

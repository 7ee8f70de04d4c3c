import { dropBody } from './drop-body.ts';
import { MAX_TIMER_MS } from '../timing/assert-limits.ts';
import { httpHeaders } from '@switchyard/protocol';
import { ClientError } from '../peer/client-error.ts';
import type { HeaderFields } from '../message/connection.ts';
import { pause } from '../timing/pause.ts';
import { exchange, type ExchangeSetup } from './exchange.ts';
import type { FetchBody, FetchResponse } from './fetch.ts';
import { mediaTypeOf } from './media-type.ts';
import type { StreamPlace } from './read-event-stream.ts';
import { backOffMs } from '../timing/back-off.ts';

/** What it takes to ask for a stream, or for the rest of it. */
interface TakeUpOptions {
  readonly what: string;
  readonly place: StreamPlace;
  readonly headers: HeaderFields | undefined;
  readonly signal: AbortSignal;
  /** How often in a row the stream came to nothing before; `undefined`: it is asked for the first time, at once. */
  readonly failures: number | undefined;
  /** The shortest wait, whatever the server says, in milliseconds. */
  readonly minDelayMs: number;
}

const backOff = { firstMs: 1000, maxMs: 60_000 };

/** How often in a row a stream may come to nothing. */
export const MAX_STREAM_FAILURES = 5;

export const STREAM_TYPE = 'text/event-stream';

/**
 * Waits and asks a legacy server for a stream, or for the rest of one that broke off. A server that cannot be reached
 * or answers 429 or 5xx is asked again, five times in a row at most. Answers the stream, or `undefined` where the
 * server has none to give. Rejects with the signal's reason, or with the `ClientError` of who cannot be reached.
 *
 * Spec: 2025-11-25/basic/transports#resumability-and-redelivery,
 * 2025-11-25/basic/transports#listening-for-messages-from-the-server.
 */
export async function takeUpStream(setup: ExchangeSetup, options: TakeUpOptions): Promise<FetchBody | undefined> {
  const { what, headers, signal } = options;
  const { lastEventId } = options.place;
  const { context } = setup;
  for (let { failures } = options; ; failures = (failures ?? 0) + 1) {
    if (failures !== undefined) await pause(context.clock, delayMs(options, failures, context.random), signal);
    const isLast = (failures ?? 0) >= MAX_STREAM_FAILURES - 1;
    try {
      const response = await exchange(setup, {
        httpMethod: 'GET',
        what,
        accept: STREAM_TYPE,
        headers: { ...headers, ...(lastEventId === undefined ? {} : { [httpHeaders.lastEventId.key]: lastEventId }) },
        signal,
      });
      if (isStream(response)) return response.body;
      dropBody(response.body);
      if (isLast || (response.status < 500 && response.status !== 429) || response.status === 501) return undefined;
    } catch (error) {
      if (isLast || !(error instanceof ClientError) || !isUnreached(error)) throw error;
    }
  }
}

/**
 * Answers how long to wait before a stream is asked for again: what the server said, or else a second; with each
 * failure in a row twice that, up to a minute. A part of it is chance, so that not all clients come at once.
 */
function delayMs({ place, minDelayMs }: TakeUpOptions, failures: number, random: () => number): number {
  const { retryMs } = place;
  const ownMs = backOffMs(backOff, failures, random);
  if (retryMs === undefined) return ownMs;
  const least = failures === 0 ? minDelayMs : Math.max(ownMs, minDelayMs);
  return Math.min(Math.max(retryMs, least), MAX_TIMER_MS);
}

function isStream(response: FetchResponse): response is FetchResponse & { readonly body: FetchBody } {
  const type = mediaTypeOf(response.headers.get('content-type'));
  return response.status === 200 && type === STREAM_TYPE && response.body !== null;
}

function isUnreached({ code }: ClientError): boolean {
  return code === 'connect-failed' || code === 'closed';
}

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
import { retryAfterMs } from './retry-after.ts';
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

/** What a server gave that was asked for a stream. */
export interface TakenUp {
  readonly status: number;
  /** Absent where it gave none. */
  readonly body: FetchBody | undefined;
}

/** How often in a row a stream may come to nothing. */
export const MAX_STREAM_FAILURES = 5;

export const STREAM_TYPE = 'text/event-stream';

/**
 * Waits and asks a legacy server for a stream, or for the rest of one that broke off. A server that cannot be reached
 * or answers 429 or 5xx is asked again, five times in a row at most. Answers what came of the last attempt. Rejects
 * with the signal's reason, or with the `ClientError` of who cannot be reached.
 *
 * Spec: 2025-11-25/basic/transports#resumability-and-redelivery,
 * 2025-11-25/basic/transports#listening-for-messages-from-the-server.
 */
export async function takeUpStream(setup: ExchangeSetup, options: TakeUpOptions): Promise<TakenUp> {
  const { what, headers, signal } = options;
  const { lastEventId } = options.place;
  const { context } = setup;
  let askedMs = 0;
  for (let { failures } = options; ; failures = (failures ?? 0) + 1) {
    if (failures !== undefined) {
      await pause(context.clock, Math.max(delayMs(options, failures, context.random), askedMs), signal);
    }
    const isLast = (failures ?? 0) >= MAX_STREAM_FAILURES - 1;
    try {
      const response = await exchange(setup, {
        httpMethod: 'GET',
        what,
        accept: STREAM_TYPE,
        headers: { ...headers, ...(lastEventId === undefined ? {} : { [httpHeaders.lastEventId.key]: lastEventId }) },
        signal,
      });
      const { status } = response;
      askedMs = retryAfterMs(response.headers) ?? 0;
      if (isStream(response)) return { status, body: response.body };
      dropBody(response.body);
      if (isLast || !isLoad(status)) return { status, body: undefined };
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

/** Whether a status says nothing of whether there is a stream. */
export function isLoad(status: number): boolean {
  return status === 429 || (status >= 500 && status !== 501);
}

function isStream(response: FetchResponse): response is FetchResponse & { readonly body: FetchBody } {
  const type = mediaTypeOf(response.headers.get('content-type'));
  return response.status === 200 && type === STREAM_TYPE && response.body !== null;
}

function isUnreached({ code }: ClientError): boolean {
  return code === 'connect-failed' || code === 'closed';
}

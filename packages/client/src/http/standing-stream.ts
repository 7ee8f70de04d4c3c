import { ClientError } from '../peer/client-error.ts';
import type { ListenOptions, PeerHandlers } from '../message/connection.ts';
import { excerpt } from '../peer/excerpt.ts';
import { createMessageIntake, type MessageIntake } from '../message/message-intake.ts';
import type { PeerContext } from '../peer/peer-context.ts';
import type { ExchangeSetup } from './exchange.ts';
import type { FetchBody } from './fetch.ts';
import { readEventStream, type StreamPlace } from './read-event-stream.ts';
import { isLoad, MAX_STREAM_FAILURES, takeUpStream } from './take-up-stream.ts';

/** A stream that lasted this long counts as healthy, whether anything came or not. */
const HEALTHY_MS = 10_000;
/** Nothing bounds how often it may end, so a server cannot have it asked for faster. */
const MIN_WAIT_MS = 1000;

const WHAT = 'the stream of what it sends by itself';

/**
 * Reads what a legacy server sends by itself, for as long as it likes and however silent it is. A stream that ends is
 * asked for again from where it was, with the wait that the server names or a growing one, up to a minute; `onGap` is
 * told of each break and of each return. Five attempts in a row that come to nothing are worth a warning, and are the
 * end where none ever came to anything. Resolves when the server has no such stream any more, or `signal` aborts; with
 * `gone` when it had one and does not know the session any more. It never rejects.
 *
 * Spec: 2025-11-25/basic/transports#listening-for-messages-from-the-server,
 * 2025-11-25/basic/transports#session-management.
 */
export async function readStandingStream(
  setup: ExchangeSetup,
  handlers: PeerHandlers,
  { headers, signal, onGap }: ListenOptions,
): Promise<'gone' | undefined> {
  const { context } = setup;
  const intake = createMessageIntake({ context, handlers, servesOneRequest: false });
  const place: StreamPlace = {};
  let failures: number | undefined;
  let wasHealthy = false;
  let hasWarned = false;
  for (;;) {
    let why = 'it ends as soon as it begins';
    try {
      const taken = await takeUpStream(setup, {
        what: WHAT,
        place,
        headers,
        signal,
        failures,
        minDelayMs: MIN_WAIT_MS,
      });
      if (taken.body === undefined) {
        // Most servers have none; of one that had, its end is worth a word.
        if (!isLoad(taken.status)) return endOf(context, taken.status, failures !== undefined);
        why = `it is refused with HTTP ${taken.status}`;
        failures = Math.max(failures ?? 0, MAX_STREAM_FAILURES);
      } else {
        if (failures !== undefined) onGap('is over');
        const isHealthy = await readOne(taken.body, { context, intake, place });
        signal.throwIfAborted();
        onGap('begins');
        failures = isHealthy ? 0 : (failures ?? 0) + 1;
        wasHealthy ||= isHealthy;
        hasWarned &&= !isHealthy;
      }
    } catch (error) {
      if (signal.aborted) return undefined;
      why = error instanceof ClientError ? error.message : excerpt(String(error));
      failures = Math.max(failures ?? 0, MAX_STREAM_FAILURES) + 1;
    }
    if (failures < MAX_STREAM_FAILURES) continue;
    if (!wasHealthy) return warnOfEnd(context, why);
    if (!hasWarned) warnOfLoss(context, why);
    hasWarned = true;
  }
}

/** Answers what becomes of the session of a server that gives no stream. */
function endOf(context: PeerContext, status: number, hadOne: boolean): 'gone' | undefined {
  if (!hadOne) return undefined;
  return status === 404 ? 'gone' : warnOfEnd(context, 'it has none any more');
}

/** Answers whether a stream was worth having: something came, or it stayed open for a while. */
async function readOne(
  body: FetchBody,
  {
    context,
    intake,
    place,
  }: { readonly context: PeerContext; readonly intake: MessageIntake; readonly place: StreamPlace },
): Promise<boolean> {
  const startedAt = context.clock.now();
  const { lastEventId } = place;
  let hasCome = false;
  try {
    const end = await readEventStream(body, {
      maxEventLength: context.maxMessageBytes,
      onDone: () => undefined,
      place,
      onData(data) {
        hasCome = true;
        intake.receive(data);
        return false;
      },
    });
    if (end === 'too-large') {
      context.warn('message-too-large', `sent a message over the limit of ${context.maxMessageBytes} bytes by itself.`);
      return false;
    }
  } catch {
    // A stream that breaks off is asked for again like one that ends.
  }
  // A server that is polled names the place alone where it has nothing to say.
  return hasCome || place.lastEventId !== lastEventId || context.clock.now() - startedAt >= HEALTHY_MS;
}

function warnOfEnd(context: PeerContext, why: string): undefined {
  context.warn('stream-lost', `${WHAT} is not read any more: ${why}. Changes that it announces there are not seen.`);
}

function warnOfLoss(context: PeerContext, why: string): void {
  context.warn('stream-lost', `${WHAT} is lost: ${why}. It is asked for about once a minute until it is there again.`);
}

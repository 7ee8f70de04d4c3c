import { isJsonObject, parseJsonObject, type Response } from '@switchyard/protocol';
import type { ClientError } from '../peer/client-error.ts';
import { markCut } from '../message/cut-answer.ts';
import type { Reply } from '../message/connection.ts';
import { excerpt, maskedExcerpt, quoted } from '../peer/excerpt.ts';
import { createExchangeIntake, type ExchangeIntake, type ExchangeOptions } from '../message/exchange-intake.ts';
import type { PeerContext } from '../peer/peer-context.ts';
import { isCompressed } from './content-coding.ts';
import { describeUrl } from './endpoint.ts';
import { describeProxyRefusal } from './failed-fetch.ts';
import type { FetchBody, FetchBodyReader, FetchResponse } from './fetch.ts';
import { isJsonMediaType, mediaTypeOf } from './media-type.ts';
import { readBeginning, readBody } from './read-body.ts';
import { readEventStream, type StreamPlace } from './read-event-stream.ts';
import { retryAfterMs } from './retry-after.ts';
import { MAX_STREAM_FAILURES } from './take-up-stream.ts';

/** What {@link readAnswer} needs beyond the HTTP response. */
interface AnswerOptions extends ExchangeOptions {
  /** Takes over a stream that may go on after the answer. */
  readonly onLeftover: (reader: FetchBodyReader) => void;
  /**
   * Answers the rest of a stream that broke off or ended before the answer, or `undefined` where there is none. Absent
   * where the revision has no such thing.
   */
  readonly takeUp?: (place: StreamPlace, failures: number) => Promise<FetchBody | undefined>;
}

const MAX_ERROR_BODY_BYTES = 64 * 1024;
/** With these, of access and load, the body is not the server's answer to the message, whatever it says. */
const statusesWithoutAnswer: ReadonlySet<number> = new Set([401, 403, 407, 429, 503]);

/**
 * Reads the answer to one request out of an HTTP response: one JSON object or an event stream. A status of 400 and
 * above that carries a JSON-RPC error for this request is that error; every other failure rejects with a `ClientError`.
 * A body of a JSON media type is read until the JSON is whole, as that of an answer is: one that goes on for ever ends by
 * the deadline of the call. Of others, and with 401, 403, 407, 429 and 503, what comes in a second counts, up to 64 KiB.
 *
 * Spec: basic/transports/streamable-http#sending-messages (2026-07-28).
 */
export async function readAnswer(response: FetchResponse, options: AnswerOptions): Promise<Reply> {
  const { context, request } = options;
  const { status } = response;
  const http = { status, header: (name: string) => response.headers.get(name) ?? undefined };
  const intake = createExchangeIntake(options);
  if (status < 200 || status >= 300) {
    const { error, text } = await readErrorBody(response, context, intake);
    if (error !== undefined) return { response: error, http };
    throw statusError(context, response, request.method, text);
  }
  assertReadable(context, response, request.method);
  const mediaType = mediaTypeOf(response.headers.get('content-type'));
  if (mediaType === 'text/event-stream' && response.body !== null) {
    return { response: await readStreamed(response.body, options, intake), http };
  }
  if (mediaType !== undefined && !isJsonMediaType(mediaType)) {
    const { bytes } = await readBeginning(response.body, { clock: context.clock, maxBytes: 1024 });
    throw context.fail(
      'invalid-response',
      `it answered ${request.method} with the media type ${quoted(mediaType)} where JSON or an event stream is due: ` +
        `"${maskedExcerpt(context, decodeLoosely(bytes), 80)}". Look whether the URL is that of the MCP endpoint and whether a proxy or a ` +
        'sign-in page stands before it.',
    );
  }
  return { response: await readJson(response, options, intake), http };
}

/** Answers the error for an HTTP status that carries no answer. `text` is the beginning of the body. */
export function statusError(context: PeerContext, response: FetchResponse, what: string, text: string): ClientError {
  const { status } = response;
  const challenge = response.headers.get('www-authenticate');
  const waitMs = retryAfterMs(response.headers);
  const details = {
    status,
    ...(challenge === null ? {} : { challenge: maskedExcerpt(context, challenge, 1000) }),
    ...(waitMs === undefined ? {} : { retryAfterMs: waitMs }),
    ...(text === '' ? {} : { said: maskedExcerpt(context, messageIn(text) ?? text) }),
  };
  const said = text === '' ? '' : ` It said: "${maskedExcerpt(context, messageIn(text) ?? text, 80)}".`;
  if (status === 401) {
    const advice = 'Configure valid credentials as headers, for example Authorization or x-api-key.';
    return context.fail(
      'unauthorized',
      `it refused ${what} with HTTP 401, because it wants to know who calls. ${advice}${said}`,
      details,
    );
  }
  if (status === 407) return context.fail('http-status', `${describeProxyRefusal(what)}${said}`, details);
  if (status < 400) {
    const location = response.headers.get('location');
    const to = location === null ? '' : ` to ${describeLocation(location)}`;
    return context.fail(
      'http-status',
      `it redirects ${what}${to} (HTTP ${status}). Redirects are not followed, since they can take credentials elsewhere: ` +
        'configure the final URL.',
      details,
    );
  }
  const wait = response.headers.get('retry-after');
  const advice = wait === null ? '' : ` It asks to wait (Retry-After: ${excerpt(wait, 40)}).`;
  return context.fail('http-status', `it refused ${what} with HTTP ${status}.${advice}${said}`, details);
}

/** The message of a body that is a JSON-RPC error, which is the part of it that says something. */
function messageIn(text: string): string | undefined {
  const error = parseJsonObject(text)?.['error'];
  const message = isJsonObject(error) ? error['message'] : undefined;
  return typeof message === 'string' && message !== '' ? message : undefined;
}

/** A relative location says where it leads without its query. */
function describeLocation(location: string): string {
  return URL.canParse(location) ? describeUrl(location) : quoted(location.split(/[?#]/, 1)[0] ?? '');
}

function assertReadable(context: PeerContext, { body, headers }: FetchResponse, what: string): void {
  const encoding = headers.get('content-encoding');
  if (body !== null || !isCompressed(encoding)) return;
  throw context.fail(
    'invalid-response',
    `its answer to ${what} is compressed (${excerpt(encoding ?? '', 40)}), which was not asked for and is not read. ` +
      'Switch that off at the server, or at the proxy before it.',
  );
}

/**
 * An error page is no message, so nothing of it is reported but its beginning, in the error, and it is not waited for:
 * the status says what became of the request. Where it is an answer, that says more.
 */
async function readErrorBody(
  { status, headers, body }: FetchResponse,
  { clock, maxMessageBytes }: PeerContext,
  intake: ExchangeIntake,
): Promise<{ readonly error?: Response; readonly text: string }> {
  const mayAnswer = status >= 400 && !statusesWithoutAnswer.has(status);
  const mediaType = mediaTypeOf(headers.get('content-type'));
  const isJson = mayAnswer && mediaType !== undefined && isJsonMediaType(mediaType);
  const { bytes } = await readBeginning(body, {
    clock,
    maxBytes: isJson ? maxMessageBytes : Math.min(MAX_ERROR_BODY_BYTES, maxMessageBytes),
    isUnfinished: (soFar) => isJson && isUnfinished(decodeLoosely(soFar)),
  });
  const text = decodeLoosely(bytes);
  const answer = mayAnswer ? intake.findAnswer(text) : undefined;
  return answer !== undefined && 'error' in answer ? { error: answer, text } : { text };
}

function isUnfinished(text: string): boolean {
  return text.trim() === '' || isBeginning(text);
}

async function readJson(
  response: FetchResponse,
  { context, request }: AnswerOptions,
  intake: ExchangeIntake,
): Promise<Response> {
  const { bytes, isCut } = await readBody(response.body, context.maxMessageBytes);
  if (isCut) throw tooLarge(context, request.method);
  if (bytes.length === 0) {
    throw markCut(
      context.fail(
        'invalid-response',
        `it answered ${request.method} with HTTP ${response.status} and no body, where a JSON-RPC response is due.`,
      ),
    );
  }
  const text = decodeStrictly(bytes);
  if (text !== undefined) intake.receive(text);
  return intake.response(() => {
    const shown = maskedExcerpt(context, decodeLoosely(bytes.subarray(0, 1024)), 80);
    const error = context.fail('invalid-response', `it answered ${request.method} with no response to it: "${shown}".`);
    return isBeginning(text ?? decodeLoosely(bytes)) ? markCut(error) : error;
  });
}

async function readStreamed(body: FetchBody, options: AnswerOptions, intake: ExchangeIntake): Promise<Response> {
  const { context, request, takeUp } = options;
  const place: StreamPlace = {};
  let isTooLarge = false;
  let failures = 0;
  for (let rest: FetchBody | undefined = body; rest !== undefined;) {
    const { lastEventId: before } = place;
    const end = await readPart(rest, { ...options, place }, intake);
    isTooLarge = end === 'too-large';
    failures = place.lastEventId === before ? failures + 1 : 0;
    const isOver = end === 'done' || isTooLarge || place.lastEventId === undefined || failures >= MAX_STREAM_FAILURES;
    rest = isOver ? undefined : await takeUp?.(place, failures);
  }
  return intake.response(() => (isTooLarge ? tooLarge(context, request.method) : endedEarly(context, request.method)));
}

/** A part that breaks off is as good as one that ends, where the rest of it can be had. */
async function readPart(
  body: FetchBody,
  { context, onLeftover, takeUp, place }: AnswerOptions & { readonly place: StreamPlace },
  intake: ExchangeIntake,
): Promise<'done' | 'ended' | 'too-large'> {
  try {
    return await readEventStream(body, {
      maxEventLength: context.maxMessageBytes,
      onDone: onLeftover,
      place,
      onData(data) {
        intake.receive(data);
        return intake.isAnswered();
      },
    });
  } catch (error) {
    if (takeUp === undefined || place.lastEventId === undefined) throw error;
    return 'ended';
  }
}

function decodeLoosely(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

/** Answers `undefined` for what is not UTF-8. */
function decodeStrictly(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    // The decoder throws for this reason alone.
    return undefined;
  }
}

/** Whether a text is JSON that was cut off: a body whose end is that of the connection says nothing of its length. */
function isBeginning(text: string): boolean {
  if (!/^\s*[{[]/.test(text)) return false;
  try {
    JSON.parse(text);
    return false;
  } catch {
    // It is not whole.
    return true;
  }
}

function tooLarge(context: PeerContext, what: string): ClientError {
  return context.fail(
    'too-large',
    `its answer to ${what} is over the limit of ${context.maxMessageBytes} bytes and was not read. ` +
      'Ask for less, or raise maxMessageBytes.',
  );
}

function endedEarly(context: PeerContext, what: string): ClientError {
  return context.fail(
    'closed',
    `the stream of ${what} ended before its response. Whether the server did the work is not known.`,
  );
}

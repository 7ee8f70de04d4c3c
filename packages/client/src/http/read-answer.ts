import { parseMessage, type Response } from '@switchyard/protocol';
import type { Reply } from '../connection.ts';
import { excerpt, quoted } from '../excerpt.ts';
import { type ExchangeOptions, isAnswerTo, takeMessage, type TakenMessage } from '../exchange/take-message.ts';
import type { PeerContext } from '../peer-context.ts';
import { parsePeerJson } from '../peer-json.ts';
import { describeUrl } from './endpoint.ts';
import type { FetchBodyReader, FetchResponse } from './fetch.ts';
import { isJsonMediaType, mediaTypeOf } from './media-type.ts';
import { readBody } from './read-body.ts';
import { readEventStream } from './read-event-stream.ts';

/** What {@link readAnswer} needs beyond the HTTP response. */
export interface AnswerOptions extends ExchangeOptions {
  /** Takes over a stream that may go on after the answer. */
  readonly onLeftover: (reader: FetchBodyReader) => void;
}

const maxErrorBodyBytes = 64 * 1024;
/** With these the body is not the server's answer to the message, whatever it says. */
const statusesOfAccess: ReadonlySet<number> = new Set([401, 403, 407, 429]);

/**
 * Reads the answer to one request out of an HTTP response: one JSON object or an event stream. A status of 400 and above that
 * carries a JSON-RPC error for this request is that error; every other failure rejects with a `ClientError`.
 *
 * Spec: basic/transports/streamable-http#sending-messages (2026-07-28).
 */
export async function readAnswer(response: FetchResponse, options: AnswerOptions): Promise<Reply> {
  const { context, request } = options;
  const http = { status: response.status, header: (name: string) => response.headers.get(name) ?? undefined };
  if (response.status < 200 || response.status >= 300) {
    const { error, text } = await readErrorBody(response, options);
    if (error !== undefined && !statusesOfAccess.has(response.status) && response.status >= 400)
      return { response: error, http };
    throw statusError(context, response, request.method, text);
  }
  const mediaType = mediaTypeOf(response.headers.get('content-type'));
  if (mediaType === 'text/event-stream' && response.body !== null) {
    return { response: await readStreamed(response, options), http };
  }
  if (mediaType !== undefined && !isJsonMediaType(mediaType)) {
    const { bytes } = await readBody(response.body, 1024);
    throw context.fail(
      'invalid-response',
      `it answered ${request.method} with the media type ${quoted(mediaType)} where JSON or an event stream is due: ` +
        `${quoted(decodeLoosely(bytes))}. Look whether the URL is that of the MCP endpoint and whether a proxy or a sign-in page stands before it.`,
    );
  }
  return { response: await readJson(response, options), http };
}

/** Answers the error for an HTTP status that carries no answer. `text` is the beginning of the body. */
export function statusError(context: PeerContext, response: FetchResponse, what: string, text: string): Error {
  const { status } = response;
  const challenge = response.headers.get('www-authenticate');
  const details = { status, ...(challenge === null ? {} : { challenge: excerpt(challenge, 1000) }) };
  const said = text === '' ? '' : ` It said: ${quoted(text)}.`;
  if (status === 401) {
    const advice = 'Configure valid credentials, for example an Authorization header.';
    return context.fail(
      'unauthorized',
      `it refused ${what} with HTTP 401, because it wants to know who calls. ${advice}${said}`,
      details,
    );
  }
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

/** A relative location says where it leads without its query. */
function describeLocation(location: string): string {
  return URL.canParse(location) ? describeUrl(location) : quoted(location.split(/[?#]/, 1)[0] ?? '');
}

async function readErrorBody(
  response: FetchResponse,
  { context, request }: AnswerOptions,
): Promise<{ readonly error?: Response; readonly text: string }> {
  const { bytes, isCut } = await readBody(response.body, Math.min(maxErrorBodyBytes, context.maxMessageBytes));
  const text = decodeLoosely(bytes);
  if (isCut) return { text };
  let value: unknown;
  try {
    value = parsePeerJson(context, text);
  } catch {
    // An error page; its beginning goes into the message.
    return { text };
  }
  const parsed = parseMessage(value);
  if (parsed.kind !== 'response' || !('error' in parsed.message)) return { text };
  return isAnswerTo(request, parsed.message) ? { error: parsed.message, text } : { text };
}

async function readJson(response: FetchResponse, { context, request }: AnswerOptions): Promise<Response> {
  const { bytes, isCut } = await readBody(response.body, context.maxMessageBytes);
  if (isCut) throw tooLarge(context, request.method);
  if (bytes.length === 0) {
    throw context.fail(
      'invalid-response',
      `it answered ${request.method} with HTTP ${response.status} and no body, where a JSON-RPC response is due.`,
    );
  }
  let value: unknown;
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    value = parsePeerJson(context, text);
  } catch (error) {
    const shown = quoted(decodeLoosely(bytes.subarray(0, 1024)));
    throw context.fail('invalid-response', `it answered ${request.method} with something that is not JSON: ${shown}.`, {
      cause: error,
    });
  }
  const parsed = parseMessage(value);
  if (parsed.kind === 'response' && isAnswerTo(request, parsed.message)) return parsed.message;
  const problem = parsed.kind === 'invalid' ? parsed.problem : 'it is not the response to this request';
  throw brokenAnswer(context, request.method, problem);
}

async function readStreamed(response: FetchResponse, options: AnswerOptions): Promise<Response> {
  const { context, request, onLeftover } = options;
  if (response.body === null) throw endedEarly(context, request.method);
  let taken: TakenMessage = {};
  const end = await readEventStream(response.body, {
    maxEventLength: context.maxMessageBytes,
    onDone: onLeftover,
    onData(data) {
      taken = takeMessage(data, options);
      return taken.answer !== undefined || taken.problem !== undefined;
    },
  });
  if (taken.answer !== undefined) return taken.answer;
  if (taken.problem !== undefined) throw brokenAnswer(context, request.method, taken.problem);
  throw end === 'too-large' ? tooLarge(context, request.method) : endedEarly(context, request.method);
}

function decodeLoosely(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

function brokenAnswer(context: PeerContext, what: string, problem: string): Error {
  return context.fail('invalid-response', `its answer to ${what} breaks the protocol: ${problem}.`);
}

function tooLarge(context: PeerContext, what: string): Error {
  return context.fail(
    'too-large',
    `its answer to ${what} is over the limit of ${context.maxMessageBytes} bytes and was not read. ` +
      'Ask for less, or raise maxMessageBytes.',
  );
}

function endedEarly(context: PeerContext, what: string): Error {
  return context.fail(
    'closed',
    `the stream of ${what} ended before its response. Whether the server did the work is not known.`,
  );
}

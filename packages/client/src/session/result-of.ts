import { clip, type JsonObject, parseJson, ProtocolError, stringifyJson } from '@switchyard/protocol';
import type { Reply } from '../message/connection.ts';
import type { PeerContext } from '../peer/peer-context.ts';
import { markRefused } from './refused.ts';

/** The longest message of an error, in UTF-16 units: it is one sentence to read. */
const MAX_MESSAGE_CHARS = 64 * 1024;

/**
 * Answers the result of a reply, or throws the peer's error response as a `ProtocolError` with its code, message and
 * data as they came, but with the caller's credentials masked, which a server may say back: errors are shown and
 * logged. A message over 64 Ki characters is cut. Its `server` is the configured name of the peer.
 */
export function resultOf(context: PeerContext, { response, http }: Reply): JsonObject {
  if ('result' in response) return response.result;
  const { code, message, data } = response.error;
  const error = new ProtocolError(code, context.mask(clip(message, MAX_MESSAGE_CHARS)), {
    data: data === undefined ? undefined : maskData(context, data),
    server: context.server,
    ...(http === undefined ? {} : { status: http.status }),
  });
  // Who refuses an HTTP request without the id in it has not come to the message.
  const isUnaddressed = response.id === undefined || response.id === null;
  throw isUnaddressed && http !== undefined && http.status >= 400 ? markRefused(error) : error;
}

/** Answers data without the caller's credentials, and no data where that cannot be told. */
function maskData(context: PeerContext, data: unknown): unknown {
  try {
    const text = stringifyJson(data);
    const masked = context.mask(text);
    return masked === text ? data : parseJson(masked, context);
  } catch {
    // Too deep to be looked at, or a credential that reaches over more than one text.
    return undefined;
  }
}

import { type JsonObject, ProtocolError } from '@switchyard/protocol';
import type { Reply } from './connection.ts';

/**
 * Answers the result of a reply, or throws the peer's error response as a `ProtocolError` with its code, message and
 * data as they came.
 */
export function resultOf({ response, http }: Reply): JsonObject {
  if ('result' in response) return response.result;
  const { code, message, data } = response.error;
  throw new ProtocolError(code, message, { data, ...(http === undefined ? {} : { status: http.status }) });
}

import { type MessageId, ProtocolError } from '@switchyard/protocol';

import { errorText } from '../dispatch/error-reply.ts';
import type { HttpExchange, HttpHeaders } from '../exchange/http-exchange.ts';
import { jsonHeaders } from './json-headers.ts';

/** Answers an exchange with a status and one sentence on why, as -32600 without an id. */
export function refuse(exchange: HttpExchange, status: number, problem: string, headers: HttpHeaders = {}): void {
  const text = errorText(undefined, new ProtocolError('invalidRequest', problem));
  exchange.reply(status, { ...jsonHeaders, ...headers }, text);
}

/** Answers an exchange with an error, its status and its headers. */
export function refuseWith(
  exchange: HttpExchange,
  error: ProtocolError,
  headers: HttpHeaders = {},
  id?: MessageId,
): void {
  exchange.reply(error.status, { ...error.headers, ...jsonHeaders, ...headers }, errorText(id, error));
}

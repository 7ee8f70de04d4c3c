import type { Principal, Request } from '@switchyard/protocol';

import { Cancellation } from '../dispatch/cancellation.ts';
import type { Dispatch } from '../dispatch/dispatch.ts';
import type { HttpExchange, HttpHeaders } from '../exchange/http-exchange.ts';
import type { Admission } from './admission.ts';
import { jsonHeaders as json } from './json-headers.ts';
import { createReplyStream, type ReplyStream } from './reply-stream.ts';

/** What the answers to all requests share. */
export interface AnswerSite {
  readonly admission: Admission;
  readonly keepAliveMs: number;
}

/**
 * Has a request carried out, and answers the exchange that brought it: with one JSON text, or a stream where something
 * precedes the response.
 */
export async function answerRequest(
  exchange: HttpExchange,
  dispatch: Dispatch,
  request: Request,
  caller: {
    readonly principal: Principal | undefined;
    readonly cors: HttpHeaders | undefined;
    /** Characters of the message. */
    readonly chars: number;
  },
  { admission, keepAliveMs }: AnswerSite,
): Promise<void> {
  const { head } = exchange;
  const { principal, cors, chars } = caller;
  const cancellation = new Cancellation();
  exchange.onAbandoned(() => cancellation.cancel(new Error('the caller closed the connection')));
  let stream: ReplyStream | undefined;
  const reply = await dispatch(request, {
    cancellation,
    principal,
    send: (text) => (stream ??= createReplyStream(exchange, { cors, keepAliveMs })).notify(text),
    header: (key) => head.header(key),
    chars,
  });
  const refused = reply.error === undefined ? undefined : admission.refuse(head, reply.error, principal);
  if (cancellation.cancelled) return stream?.abandon();
  if (stream?.isOpen() === true) return stream.finish(reply.text);
  if (refused !== undefined) return exchange.reply(reply.status, { ...refused, ...json, ...cors }, reply.text);
  exchange.reply(reply.status, cors === undefined ? json : { ...json, ...cors }, reply.text);
}

import type { Request } from '@switchyard/protocol';

import { errorText, type Reply } from '../../dispatch/error-reply.ts';
import type { Incoming } from '../../dispatch/incoming.ts';
import { refusalText } from '../../dispatch/refusal-text.ts';
import type { LegacyExchange, LegacyHttpSite } from '../../dispatch/legacy-adapter.ts';
import { createBatchRuns } from '../batch.ts';
import { type LegacyCall, refusal } from '../legacy-session.ts';
import type { HttpSession } from './http-session.ts';
import { createReplyOutlet, type StreamTiming } from './reply-outlet.ts';

/** Answers what came in one POST of a session; `chars` are those of the message. */
export interface AnswerMessages {
  one(given: LegacyExchange, session: HttpSession, request: Request, chars: number): Promise<void>;
  batch(given: LegacyExchange, session: HttpSession, batch: readonly Incoming[], chars: number): Promise<void>;
}

/** Spec: 2025-11-25/basic/transports#sending-messages-to-the-server, 2025-03-26/basic#batching. */
export function createAnswerMessages(site: LegacyHttpSite, timing: StreamTiming): AnswerMessages {
  /** Runs a request that is not refused for what runs already. */
  async function run(session: HttpSession, request: Request, call: LegacyCall): Promise<Reply | undefined> {
    const tooMany = request.method === 'ping' ? undefined : site.oneTooMany();
    if (tooMany !== undefined) return { text: errorText(request.id, tooMany), status: 200, error: tooMany };
    return session.conversation.serve(request, call);
  }

  async function answerOne(
    given: LegacyExchange,
    session: HttpSession,
    request: Request,
    chars: number,
  ): Promise<void> {
    const { exchange, principal, cors = {} } = given;
    const outlet = createReplyOutlet(exchange, session, timing, cors);
    const reply = await run(session, request, { principal, outlet, chars });
    if (reply === undefined) return outlet.finishUnanswered(unansweredText(request));
    const refused = reply.error === undefined ? {} : site.refuse(exchange.head, reply.error, principal);
    return outlet.finish(reply.status, refused, reply.text);
  }

  async function answerBatch(
    given: LegacyExchange,
    session: HttpSession,
    batch: readonly Incoming[],
    chars: number,
  ): Promise<void> {
    const { exchange, principal, cors = {} } = given;
    if (!batch.some(({ kind }) => kind === 'request' || kind === 'invalid')) {
      for (const message of batch) takeMessage(session, message);
      return exchange.reply(202, cors, '');
    }
    const outlet = createReplyOutlet(exchange, session, timing, cors);
    const runs = createBatchRuns((_request, runFirst) => runFirst(), site.enter, principal);
    const answers = batch.map(async (message): Promise<string | undefined> => {
      if (message.kind !== 'request') {
        takeMessage(session, message);
        return refusalText(message);
      }
      const text = await runs(message.message, async () => {
        const reply = await run(session, message.message, { principal, outlet, chars });
        if (reply?.error !== undefined) site.refuse(exchange.head, reply.error, principal);
        return reply?.text;
      });
      return text === undefined || outlet.sendEarly(text) ? undefined : text;
    });
    const texts = (await Promise.all(answers)).filter((text) => text !== undefined);
    if (texts.length > 0) return outlet.finish(200, {}, `[${texts.join(',')}]`);
    const unanswered = batch.flatMap((message) =>
      message.kind === 'request' ? [unansweredText(message.message)] : [],
    );
    return outlet.finishUnanswered(`[${unanswered.join(',')}]`);
  }

  return { one: answerOne, batch: answerBatch };
}

/** Answers the response to a request that nobody is expected to wait for any more. */
function unansweredText({ id }: Request): string {
  return refusal(id, 'internalError', 'The request was cancelled, or its session ended, before it was answered').text;
}

/** Takes a message that gets no response. */
export function takeMessage(session: HttpSession, message: Incoming): void {
  if (message.kind === 'notification') session.conversation.notify(message.message);
  if (message.kind === 'response') session.conversation.settle(message.message);
  if (message.kind === 'invalid' || message.kind === 'invalid-response') session.conversation.fail(message);
}

import { isMessageId, type Notification, parseMessage, type Request, type Response } from '@switchyard/protocol';
import type { PeerHandlers } from '../connection.ts';
import { excerpt } from '../excerpt.ts';
import type { PeerContext } from '../peer-context.ts';
import { parsePeerJson } from '../peer-json.ts';

/** Where a message came: the exchange of one request. */
export interface ExchangeOptions {
  readonly context: PeerContext;
  readonly handlers: PeerHandlers;
  readonly request: Request;
  readonly onNotification: (notification: Notification) => void;
}

/** What one message was for the request: its answer, a broken answer with one clause on what is wrong, or neither. */
export interface TakenMessage {
  readonly answer?: Response;
  readonly problem?: string;
}

const neither: TakenMessage = {};

/**
 * Takes the text of one message that came in the exchange of a request. Notifications and requests of the peer go to their
 * handlers; junk, broken messages and answers to other ids become warnings. It never throws.
 */
export function takeMessage(text: string, options: ExchangeOptions): TakenMessage {
  const { context, handlers } = options;
  let value: unknown;
  try {
    value = parsePeerJson(context, text);
  } catch {
    // One piece of junk does not spoil the stream it came on.
    context.warn('junk-output', `sent something that is no message: ${excerpt(text)}`);
    return neither;
  }
  if (!Array.isArray(value) || value.length === 0 || !handlers.acceptsBatches()) return takeValue(value, text, options);
  let taken = neither;
  for (const message of value) {
    const next = takeValue(message, text, options);
    if (next !== neither) taken = next;
  }
  return taken;
}

function takeValue(value: unknown, text: string, options: ExchangeOptions): TakenMessage {
  const { context, handlers, request, onNotification } = options;
  const parsed = parseMessage(value);
  if (parsed.kind === 'response') {
    if (isAnswerTo(request, parsed.message)) return { answer: parsed.message };
    context.warn('unmatched-response', `answers another id than that of ${request.method}: ${excerpt(text)}`);
  } else if (parsed.kind === 'notification') {
    onNotification(parsed.message);
  } else if (parsed.kind === 'request') {
    handlers.onRequest(parsed.message);
  } else {
    const isAnswer = typeof value === 'object' && value !== null && !('method' in value);
    if (isAnswer && parsed.id === request.id) return { problem: parsed.problem };
    context.warn('invalid-message', `sent a message that breaks the protocol: ${parsed.problem}: ${excerpt(text)}`);
  }
  return neither;
}

/** Answers whether a response is that of the request; the exchange itself tells what an error without an id belongs to. */
export function isAnswerTo(request: Request, response: Response): boolean {
  return response.id === request.id || ('error' in response && !isMessageId(response.id));
}

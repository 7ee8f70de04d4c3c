import {
  InFlight,
  isJsonObject,
  isMessageId,
  type MessageId,
  metaKeys,
  type Notification,
  notifications,
  parseMessage,
  type Request,
  type Response,
} from '@switchyard/protocol';
import type { ClientError } from '../peer/client-error.ts';
import type { PeerHandlers } from './connection.ts';
import { excerpt, maskedExcerpt } from '../peer/excerpt.ts';
import type { PeerContext } from '../peer/peer-context.ts';
import { readEnd, readStart } from './message-edges.ts';
import { parsePeerJson } from './parse-peer-json.ts';

/** A request that waits for its answer. Neither function throws. */
interface AwaitedRequest {
  /** Told once: the response, error responses included, or why there is none. */
  readonly settle: (answer: Response | ClientError) => void;
  /** Takes the progress of this request, and log messages while it waits. */
  readonly onNotification: (notification: Notification) => void;
}

interface MessageIntakeOptions {
  readonly context: PeerContext;
  readonly handlers: PeerHandlers;
  /** Whether all messages come in answer to one request, so that an error without an id belongs to it. */
  readonly servesOneRequest: boolean;
}

/** What a peer's messages are matched to, and handed on by. */
export interface MessageIntake {
  /** Lets a request wait for its answer. No other with this id may be waiting. */
  expect(id: MessageId, request: AwaitedRequest): void;
  /** Takes the text of one message and answers whether it was one. It never throws. */
  receive(text: string): boolean;
  /** Answers the response to a waiting request that a text may be. Nothing else is made of the text. */
  findAnswer(text: string): Response | undefined;
  /** Settles one waiting request with an error; answers whether it was waiting. */
  reject(id: MessageId, error: ClientError): boolean;
  /** Lets nobody wait for this id any more; an answer that still comes is ignored without a warning. */
  abandon(id: MessageId): void;
  /** The ids that wait for an answer, oldest first. */
  awaitedIds(): MessageId[];
}

/** What one message of a peer is, given the requests that wait. */
type Incoming =
  | { readonly kind: 'answer'; readonly id: MessageId; readonly response: Response }
  | { readonly kind: 'broken-answer'; readonly id: MessageId; readonly problem: string }
  | { readonly kind: 'unmatched-answer'; readonly id: MessageId }
  | { readonly kind: 'unaddressed-error'; readonly said: string }
  | { readonly kind: 'notification'; readonly notification: Notification }
  | { readonly kind: 'request'; readonly request: Request }
  | { readonly kind: 'invalid'; readonly problem: string }
  | { readonly kind: 'junk' };

const MAX_ABANDONED_IDS = 1024;
const EDGE_CHARS = 512;

/**
 * Creates the one way in for the messages of a peer, whatever carries them. Responses are matched to requests by id (a
 * string never equals a number), progress to the request whose id is the token, and log messages to every waiting
 * request, since they name none; other notifications and the peer's own requests go to the handlers, and what belongs
 * to a subscription goes to its request as well, an acknowledgement to that alone. What matches
 * nothing becomes a warning, and nothing that a peer sends ends the connection.
 *
 * Spec: basic/index#messages, basic/patterns/progress, basic/transports/stdio#receiving-messages (2026-07-28).
 */
export function createMessageIntake({ context, handlers, servesOneRequest }: MessageIntakeOptions): MessageIntake {
  const awaited = new InFlight<AwaitedRequest>();
  const abandoned = new Set<MessageId>();

  return {
    receive,
    findAnswer,
    reject: (id, error) => settle(id, error),
    expect: (id, request) => awaited.set(id, request),
    awaitedIds: () => [...awaited.keys()],
    abandon(id) {
      if (!awaited.delete(id)) return;
      abandoned.add(id);
      const [oldest] = abandoned;
      if (abandoned.size > MAX_ABANDONED_IDS && oldest !== undefined) abandoned.delete(oldest);
    },
  };

  function receive(text: string): boolean {
    let isMessage = false;
    for (const value of parse(text)) {
      const incoming = classify(value);
      act(incoming, text);
      if (incoming.kind !== 'junk') isMessage = true;
    }
    return isMessage;
  }

  function findAnswer(text: string): Response | undefined {
    for (const value of parse(text)) {
      const incoming = classify(value);
      if (incoming.kind === 'answer') return incoming.response;
    }
    return undefined;
  }

  /** Answers the values of a text: several where it is a batch and the peer may send one. */
  function parse(text: string): readonly unknown[] {
    try {
      const value = parsePeerJson(context, text);
      return Array.isArray(value) && value.length > 0 && handlers.acceptsBatches() ? value : [value];
    } catch {
      // Not JSON: a banner, a log line or an answer with a mistake, told apart below as a bare text.
      return [text];
    }
  }

  function classify(value: unknown): Incoming {
    if (typeof value === 'string') return classifyUnreadable(value);
    const parsed = parseMessage(value);
    if (parsed.kind === 'notification') return { kind: 'notification', notification: parsed.message };
    if (parsed.kind === 'request') return { kind: 'request', request: parsed.message };
    if (parsed.kind === 'response') return classifyResponse(parsed.message);
    if (typeof value !== 'object' || value === null || !('jsonrpc' in value || 'id' in value)) return { kind: 'junk' };
    const { id, problem } = parsed;
    const isAnswer = id !== undefined && awaited.has(id) && !('method' in value);
    return isAnswer ? { kind: 'broken-answer', id, problem } : { kind: 'invalid', problem };
  }

  /** Some serialisers write NaN and the like, and a caller must not wait for the end of its time for that. */
  function classifyUnreadable(text: string): Incoming {
    // What was cut off while the peer ended is not worth a word: how it ended says more.
    if (!text.trimEnd().endsWith('}')) return { kind: 'junk' };
    const { id, isAnswer } = readStart(text.slice(0, EDGE_CHARS)) ?? readEnd(text.slice(-EDGE_CHARS));
    if (!isAnswer || id === undefined || !awaited.has(id)) return { kind: 'junk' };
    return { kind: 'broken-answer', id, problem: `it is no valid JSON: ${maskedExcerpt(context, text)}` };
  }

  function classifyResponse(response: Response): Incoming {
    const [sole] = servesOneRequest ? awaited.keys() : [];
    const id = isMessageId(response.id) ? response.id : sole;
    if (id !== undefined) return awaited.has(id) ? { kind: 'answer', id, response } : { kind: 'unmatched-answer', id };
    const said = 'error' in response ? `${response.error.code} ${maskedExcerpt(context, response.error.message)}` : '';
    return { kind: 'unaddressed-error', said };
  }

  function act(incoming: Incoming, text: string): void {
    switch (incoming.kind) {
      case 'answer':
        settle(incoming.id, incoming.response);
        break;
      case 'broken-answer':
        settle(incoming.id, context.fail('invalid-response', `its answer breaks the protocol: ${incoming.problem}.`));
        break;
      case 'notification':
        takeNotification(incoming.notification);
        break;
      case 'request':
        handlers.onRequest(incoming.request);
        break;
      case 'unmatched-answer':
        if (!abandoned.delete(incoming.id)) warnOfUnmatched(incoming.id);
        break;
      case 'unaddressed-error':
        context.warn('peer-error', `reports an error that belongs to no request: ${incoming.said}`);
        break;
      case 'invalid':
        context.strays.note('a message that breaks the protocol', text);
        context.warn(
          'invalid-message',
          () => `sent a message that breaks the protocol: ${incoming.problem}: ${maskedExcerpt(context, text)}`,
        );
        break;
      case 'junk':
        context.strays.note('a line that is no message', text);
        context.warn('junk-output', () => `sent something that is no message: ${maskedExcerpt(context, text)}`);
        break;
    }
  }

  function warnOfUnmatched(id: MessageId): void {
    const shown = excerpt(JSON.stringify(id), 80);
    context.strays.note('an answer to an id that nothing waits for', JSON.stringify(id));
    context.warn(
      'unmatched-response',
      `answers id ${shown}, which waits for no answer (never asked, or answered before).`,
    );
  }

  function takeNotification(notification: Notification): void {
    if (notification.method === notifications.progress.method) {
      // Progress for a request that is gone is an ordinary race.
      const token = notification.params?.['progressToken'];
      if (isMessageId(token)) awaited.get(token)?.onNotification(notification);
    } else if (notification.method === notifications.message.method && awaited.size > 0) {
      for (const { onNotification } of awaited.values()) onNotification(notification);
    } else {
      const id = subscriptionOf(notification);
      const subscriber = id === undefined ? undefined : awaited.get(id);
      subscriber?.onNotification(notification);
      if (subscriber === undefined || !isAcknowledgement(notification.method)) handlers.onNotification(notification);
    }
  }

  /** The id of the request to which a notification belongs; in a stream of its own it may name none. */
  function subscriptionOf({ params }: Notification): MessageId | undefined {
    const meta = params?.['_meta'];
    const id = isJsonObject(meta) ? meta[metaKeys.subscriptionId] : undefined;
    if (isMessageId(id)) return id;
    const [sole] = servesOneRequest ? awaited.keys() : [];
    return sole;
  }

  function settle(id: MessageId, answer: Response | ClientError): boolean {
    const request = awaited.get(id);
    if (request === undefined) return false;
    awaited.delete(id);
    request.settle(answer);
    return true;
  }
}

function isAcknowledgement(method: string): boolean {
  return method === notifications.subscriptionAcknowledged.method;
}

import type { Notification, Request, Response } from '@switchyard/protocol';
import { ClientError } from '../peer/client-error.ts';
import type { PeerHandlers } from './connection.ts';
import type { PeerContext } from '../peer/peer-context.ts';
import { createMessageIntake, type MessageIntake } from './message-intake.ts';

/** A request whose answer comes in an exchange of its own. */
export interface ExchangeOptions {
  readonly context: PeerContext;
  readonly handlers: PeerHandlers;
  readonly request: Request;
  readonly onNotification: (notification: Notification) => void;
}

/** The intake of everything that comes in answer to one request. */
export interface ExchangeIntake extends Pick<MessageIntake, 'receive' | 'findAnswer'> {
  /** Whether the answer has come, or a message that should have been it. */
  isAnswered(): boolean;
  /** Answers the response; throws why there is none: that it broke the protocol, or else what `missing` answers. */
  response(missing: () => ClientError): Response;
}

/** Creates the intake for one request. */
export function createExchangeIntake({ context, handlers, request, onNotification }: ExchangeOptions): ExchangeIntake {
  let answer: Response | ClientError | undefined;
  const { expect, receive, findAnswer } = createMessageIntake({
    context,
    handlers: {
      onNotification: (notification) => handlers.onNotification(notification),
      // What comes in answer to a request is asked because of it.
      onRequest: (asked) => handlers.onRequest(asked, request.id),
      acceptsBatches: () => handlers.acceptsBatches(),
    },
    servesOneRequest: true,
  });
  expect(request.id, {
    onNotification,
    settle(outcome) {
      answer = outcome;
    },
  });
  return {
    receive,
    findAnswer,
    isAnswered: () => answer !== undefined,
    response(missing) {
      const outcome = answer ?? missing();
      if (outcome instanceof ClientError) throw outcome;
      return outcome;
    },
  };
}

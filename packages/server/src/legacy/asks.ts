import {
  clip,
  InFlight,
  type InputRequest,
  isMessageId,
  type JsonObject,
  type LegacyRevision,
  type Logger,
  type MessageId,
  notifications,
  type Response,
  stringifyJson,
} from '@switchyard/protocol';

import type { Cancellation } from '../dispatch/cancellation.ts';
import { MAX_LOGGED_CHARS } from '../dispatch/logged.ts';
import { InputError } from '../handler/input-error.ts';
import { unheld } from '../timing/unheld.ts';
import { notificationText } from '../dispatch/notification-text.ts';
import { toLegacyQuestion, toModernAnswer } from './legacy-question.ts';
import type { Outlet } from './outlet.ts';

/** The requests of a server to one old client that wait for their answers. */
export interface Asks {
  /**
   * Asks, and answers the client's result. Rejects with InputError `answer` where there will be none: the client
   * refused, took too long, or cannot be reached; with the reason of the cancellation when the request that asks is
   * cancelled.
   */
  ask(request: InputRequest, outlet: Outlet, cancellation: Cancellation): Promise<JsonObject>;
  /** Settles the ask that a response answers; one that answers none is logged and dropped. */
  settle(response: Response): void;
  /** Fails the ask with this id, which was answered by what is no response, and answers whether there was one. */
  fail(id: MessageId | undefined, problem: string): boolean;
  /** Withdraws what a request still asks when it is answered: its handler went on without. */
  withdraw(cancellation: Cancellation): void;
  /** Whether an answer is waited for. */
  isWaiting(): boolean;
  /** Ends every ask, and refuses further ones. */
  end(): void;
}

/** One request of the server, until it is settled. */
interface Waiting {
  readonly method: string;
  readonly cancellation: Cancellation;
  readonly resolve: (result: JsonObject) => void;
  readonly reject: (error: unknown) => void;
  /** Sends the request; called once, when the client takes requests. */
  readonly send: () => void;
  /** Rejects, and tells the client that its answer is no longer wanted. */
  readonly withdraw: (reason: string, error: unknown) => void;
}

/** `ready` settles when the client has said that it takes requests. `logger` must not throw. */
export function createAsks(site: {
  readonly revision: LegacyRevision;
  readonly timeoutMs: number;
  readonly logger: Logger;
  readonly ready: Promise<void>;
  readonly createId: () => string;
}): Asks {
  const { revision, timeoutMs, logger, ready, createId } = site;
  const waiting = new InFlight<Waiting>();
  let lastAsk = 0;
  let isReady = false;
  let hasEnded = false;
  // Once for all of them: what waits for a promise cannot be taken back, and a client may never say that it is ready.
  void ready.then(() => {
    isReady = true;
    for (const { send } of waiting.values()) send();
  });

  function ask(request: InputRequest, outlet: Outlet, cancellation: Cancellation): Promise<JsonObject> {
    const question = toLegacyQuestion(request, revision, createId);
    const { method } = question;
    if (hasEnded) throw failedAsk(method, 'came after the session had ended');
    lastAsk += 1;
    // A text, since some clients take the ids of both sides for one kind.
    const id = `ask-${lastAsk}`;
    const answer = Promise.withResolvers<JsonObject>();
    let isSent = false;
    const timeOut = (): void =>
      asked.withdraw('no answer in time', failedAsk(method, `had no answer in ${timeoutMs} ms`));
    const timer = unheld(setTimeout(timeOut, timeoutMs));
    let unfollow: (() => void) | undefined;
    const forget = (): boolean => {
      clearTimeout(timer);
      // A request may ask any number of times, one after the other.
      unfollow?.();
      return waiting.delete(id);
    };
    const asked: Waiting = {
      method,
      cancellation,
      resolve(result) {
        if (forget()) answer.resolve(result);
      },
      reject(error) {
        if (forget()) answer.reject(error);
      },
      send() {
        isSent = outlet.ask(stringifyJson({ jsonrpc: '2.0', id, ...question }));
        if (!isSent) asked.reject(failedAsk(method, UNSENT));
      },
      withdraw(reason, error) {
        if (!forget()) return;
        answer.reject(error);
        if (isSent) outlet.notify(notificationText(notifications.cancelled.method, { requestId: id, reason }));
      },
    };
    waiting.set(id, asked);
    unfollow = cancellation.onCancelled(() =>
      asked.withdraw('the request that asks was cancelled', cancellation.reason),
    );
    if (isReady && waiting.has(id)) asked.send();
    return answer.promise;
  }

  return {
    // Whatever is wrong with the question is a rejection, too.
    ask: async (request, outlet, cancellation) => ask(request, outlet, cancellation),
    settle(response) {
      const { id } = response;
      const asked = isMessageId(id) ? waiting.get(id) : undefined;
      if (asked === undefined) {
        const shown = typeof id === 'string' ? clip(id, MAX_LOGGED_CHARS) : id;
        return logger.info({ responseId: shown }, 'an old client answered what nobody asks, or asks no more');
      }
      if ('result' in response) return asked.resolve(toModernAnswer(asked.method, response.result));
      const { code, message } = response.error;
      return asked.reject(
        failedAsk(asked.method, `was refused with the error ${code}: ${clip(message, MAX_LOGGED_CHARS)}`),
      );
    },
    fail(id, problem) {
      const asked = id === undefined ? undefined : waiting.get(id);
      asked?.reject(failedAsk(asked.method, `was answered by what is no response: ${clip(problem, MAX_LOGGED_CHARS)}`));
      return asked !== undefined;
    },
    withdraw(cancellation) {
      if (waiting.size === 0) return;
      for (const asked of waiting.values()) {
        if (asked.cancellation !== cancellation) continue;
        asked.withdraw('the request that asks is answered', failedAsk(asked.method, 'is no longer waited for'));
      }
    },
    isWaiting: () => waiting.size > 0,
    end() {
      hasEnded = true;
      for (const { method, reject } of waiting.values()) reject(failedAsk(method, 'has no answer: the session ended'));
    },
  };
}

const UNSENT = 'could not be sent: no stream leads to the client, or it has not read what was sent before';

/** The error for an ask that gets no answer. */
export function failedAsk(method: string, how: string): InputError {
  return new InputError('answer', `the request ${method} to the client ${how}`);
}

import {
  type ErrorName,
  InFlight,
  isMessageId,
  type Logger,
  type MessageId,
  metaKeys,
  methodOf,
  type Notification,
  notifications,
  ProtocolError,
  type Request,
} from '@switchyard/protocol';

import { Cancellation } from '../dispatch/cancellation.ts';
import { cancelledByClient } from '../dispatch/cancelled-by-client.ts';
import { createDispatch } from '../dispatch/dispatch.ts';
import type { Endpoint } from '../dispatch/endpoint.ts';
import { errorText } from '../dispatch/error-reply.ts';
import { parseIncoming, toParsing } from '../dispatch/incoming.ts';
import { notificationText } from '../dispatch/notification-text.ts';
import { refusalText } from '../dispatch/refusal-text.ts';
import { type LegacyConnection, partsOf } from '../dispatch/legacy-adapter.ts';
import { createRefuseOneTooMany, toMaxRunning } from '../limits/running-limit.ts';
import { MAX_UNREAD_BYTES } from '../limits/unread-limit.ts';
import type { LineWriter } from './line-writer.ts';
import type { EndpointStdioOptions } from './stdio-options.ts';

/** The messages of one client over stdio. */
export interface StdioMessages {
  /** Takes one line. */
  receive(line: string): void;
  /** Answers what is no message. */
  refuse(code: ErrorName, problem: string): void;
  /** Settles when nothing is left to answer; never rejects. No more may come by then. */
  answered(): Promise<void>;
  /** Aborts what runs, and ends the session of an old client. */
  abort(): void;
}

/**
 * Serves messages as they come, and writes their answers to `output`. `logger` must not throw.
 *
 * @throws TypeError when an option is out of range.
 */
export function createStdioMessages(
  endpoint: Endpoint,
  output: LineWriter,
  logger: Logger,
  options: EndpointStdioOptions,
): StdioMessages {
  const { principal, counts } = options;
  const parsing = toParsing(endpoint, options);
  const maxRunning = toMaxRunning(options.maxRunningRequests);
  const oneTooMany = createRefuseOneTooMany(endpoint, logger, maxRunning);
  const dispatch = createDispatch(endpoint, logger, { counts });
  const running = new InFlight<Cancellation>();
  /** Messages that are being served, and who waits until none is. */
  let open = 0;
  let idle: PromiseWithResolvers<void> | undefined;
  /** Requests that came in one message with another one. */
  let further = 0;
  const isFull = (): boolean => open + further >= maxRunning;
  const isBehind = (): boolean => output.unreadBytes() > MAX_UNREAD_BYTES;
  const legacy = connectLegacy();

  function connectLegacy(): LegacyConnection | undefined {
    if (options.legacy === undefined) return undefined;
    return partsOf(options.legacy).connection({
      endpoint,
      logger,
      counts,
      parsing,
      principal,
      send: (text) => output.write(text),
      unreadBytes: () => output.unreadBytes(),
      oneTooMany: () => (isFull() ? oneTooMany() : undefined),
      async enter() {
        // By then the message itself is counted.
        await Promise.resolve();
        if (isFull()) return oneTooMany();
        further += 1;
        return () => {
          further -= 1;
        };
      },
    });
  }

  function keep(served: Promise<void>): void {
    open += 1;
    void served.then(() => {
      open -= 1;
      if (open === 0) idle?.resolve();
    });
  }

  function serve(request: Request, chars: number): void {
    const { id } = request;
    if (running.has(id))
      return output.write(
        errorText(id, new ProtocolError('invalidRequest', 'A request with this id is still running')),
      );
    if (isFull()) return output.write(errorText(id, oneTooMany()));
    const cancellation = new Cancellation();
    running.set(id, cancellation);
    return keep(answer(request, cancellation, chars));
  }

  async function answer(request: Request, cancellation: Cancellation, chars: number): Promise<void> {
    const { id } = request;
    let isStream = false;
    const { text } = await dispatch(request, {
      cancellation,
      principal,
      chars,
      send(notification) {
        if (cancellation.cancelled || isBehind()) return false;
        output.write(notification);
        isStream = methodOf(request.method)?.staysOpen === true;
        return true;
      },
    });
    // After a cancellation the id may be another request's already.
    if (running.get(id) === cancellation) running.delete(id);
    if (cancellation.cancelled) return;
    output.write(text);
    if (isStream) output.write(tornDownText(id));
  }

  function cancel({ method, params }: Notification): void {
    const id = params?.['requestId'];
    if (method !== notifications.cancelled.method || !isMessageId(id)) return;
    running.get(id)?.cancel(cancelledByClient(params?.['reason']));
    running.delete(id);
  }

  return {
    receive(line) {
      const incoming = parseIncoming(line, parsing);
      const served = legacy?.receive(incoming, line);
      if (served !== undefined) return keep(served);
      if (incoming.kind === 'notification') return cancel(incoming.message);
      if (incoming.kind === 'request') return serve(incoming.message, line.length);
      const refusal = refusalText(incoming);
      return refusal === undefined ? undefined : output.write(refusal);
    },
    refuse: (code, problem) => output.write(errorText(undefined, new ProtocolError(code, problem))),
    answered() {
      if (open === 0) return Promise.resolve();
      idle ??= Promise.withResolvers();
      return idle.promise;
    },
    abort() {
      for (const cancellation of running.values()) cancellation.cancel(new Error('the input ended'));
      legacy?.end('the input ended');
    },
  };
}

/**
 * Tells that a subscription was torn down, after its result: for a client that knows the result it is a cancellation of
 * what has ended, which it ignores. Spec: basic/patterns/cancellation (2026-07-28).
 */
function tornDownText(id: MessageId): string {
  return notificationText(notifications.cancelled.method, {
    requestId: id,
    reason: 'the server ended the subscription',
    _meta: { [metaKeys.subscriptionId]: id },
  });
}

import type { Notification, Request, Response } from '@switchyard/protocol';
import { ClientError } from '../peer/client-error.ts';
import type { Connection, HeaderFields, OpenOptions, Reply, RequestOptions } from '../message/connection.ts';
import { withDeadline } from '../timing/deadline.ts';
import { withAnySignal } from '../timing/with-any-signal.ts';
import { encodeMessage, nameOfMessage } from '../message/encode-message.ts';
import { dropLeftover } from './drop-leftover.ts';
import { exchange, type ExchangeSetup, operationOf } from './exchange.ts';
import { describeCause } from './failed-fetch.ts';
import type { FetchBody } from './fetch.ts';
import { plainCause } from './plain-cause.ts';
import { assertAccepted } from './assert-accepted.ts';
import { readAnswer } from './read-answer.ts';
import { readStandingStream } from './standing-stream.ts';
import { takeUpStream } from './take-up-stream.ts';

const ACCEPTED_TYPES = 'application/json, text/event-stream';
const PARTING_MS = 2000;
/** Before the rest of an answer is asked for; its deadline bounds how often. */
const MIN_WAIT_MS = 50;

/**
 * Opens the connection to a Streamable HTTP endpoint. It sends nothing by itself; closing it closes the pool.
 *
 * Spec: basic/transports/streamable-http (2026-07-28); 2025-11-25/basic/transports#streamable-http.
 */
export function openHttpConnection(setup: ExchangeSetup, handlers: OpenOptions['handlers']): Connection {
  const { context, pool, credentials } = setup;
  const closing = new AbortController();
  const closed = Promise.withResolvers<ClientError | undefined>();
  let closes: Promise<void> | undefined;

  return {
    kind: 'http',
    request,
    send,
    listen: (options) =>
      withAnySignal([options.signal, closing.signal], (signal) =>
        readStandingStream(setup, handlers, { ...options, signal }),
      ),
    principal: () => credentials.principal(),
    closed: closed.promise,
    close,
  };

  function request(message: Request, options: RequestOptions): Promise<Reply> {
    const { method, params } = message;
    const { headers, onNotification } = options;
    return withAnySignal([options.signal, closing.signal], async (signal) => {
      const response = await exchange(setup, {
        httpMethod: 'POST',
        what: method,
        operation: () => operationOf(method, params),
        body: encodeMessage(context, message),
        accept: ACCEPTED_TYPES,
        headers,
        signal,
        hold: options.hold,
        onSentAs: options.onSentAs,
      });
      const what = `the rest of the answer to ${method}`;
      try {
        return await readAnswer(response, {
          context,
          handlers,
          request: message,
          onNotification,
          onLeftover: (reader) => void dropLeftover(reader, context),
          ...(options.isResumable === true
            ? {
                takeUp: (place, failures): Promise<FetchBody | undefined> =>
                  takeUpStream(setup, { what, place, failures, headers, signal, minDelayMs: MIN_WAIT_MS }).then(
                    ({ body }) => body,
                    (error: unknown) => {
                      throw lostRest(error, signal, what);
                    },
                  ),
              }
            : {}),
        });
      } catch (error) {
        throw brokenOff(error, signal, method);
      }
    });
  }

  function send(
    message: Notification | Response,
    options: { readonly headers?: HeaderFields; readonly signal?: AbortSignal } = {},
  ): Promise<void> {
    const what = nameOfMessage(message);
    return withAnySignal([options.signal, closing.signal], async (signal) => {
      const body = encodeMessage(context, message);
      const { headers } = options;
      const response = await exchange(setup, {
        httpMethod: 'POST',
        what,
        body,
        accept: ACCEPTED_TYPES,
        headers,
        signal,
      });
      await assertAccepted(context, response, { what, signal });
    });
  }

  /** A courtesy: a server that does not take it lets the session expire. */
  async function endSession(headers: HeaderFields): Promise<void> {
    const what = 'the end of the session';
    try {
      await withDeadline(context, { what, totalMs: PARTING_MS }, async ({ signal }) => {
        const response = await exchange(setup, { httpMethod: 'DELETE', what, accept: ACCEPTED_TYPES, headers, signal });
        await response.body?.cancel();
      });
    } catch {
      // See above.
    }
  }

  function brokenOff(error: unknown, signal: AbortSignal, what: string): unknown {
    if (signal.aborted) return signal.reason;
    if (error instanceof ClientError) return error;
    const message = `the connection broke before the answer to ${what} was complete: ${describeCause(error)}.`;
    return context.fail('closed', message, { cause: plainCause(context, error) });
  }

  /** Why the rest cannot be had says nothing about the request, which the server has. */
  function lostRest(error: unknown, signal: AbortSignal, what: string): unknown {
    if (signal.aborted || !(error instanceof ClientError)) return error;
    return context.fail('closed', `${what} cannot be had: ${error.reason}`, { cause: error });
  }

  function close(session?: HeaderFields): Promise<void> {
    closes ??= (async () => {
      // First, so that whoever learns of it through a rejected request can tell it from a broken connection.
      closed.resolve(undefined);
      closing.abort(context.fail('closed', 'the client was closed.'));
      if (session !== undefined) await endSession(session);
      await pool.close();
    })();
    return closes;
  }
}

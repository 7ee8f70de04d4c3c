import { clip, type Logger, type Principal, type Request } from '@switchyard/protocol';

import type { Cancellation } from './cancellation.ts';
import type { Endpoint } from './endpoint.ts';
import type { Reply } from './error-reply.ts';
import { MAX_LOGGED_CHARS, nameOf } from './logged.ts';

/** From how many milliseconds on a request is notable for its time. */
const SLOW_MS = 1_000;

/** Logs one request after it was answered; `started` is of the endpoint's clock, `code` that of an error response. */
export type LogRequest = (
  request: Request,
  inbound: { readonly principal: Principal | undefined; readonly cancellation: Cancellation },
  reply: Reply,
  code: number | undefined,
  started: number,
) => void;

/**
 * Makes the function that logs requests, without arguments, results and metadata. `notable` are those that ended in an
 * error response, were cancelled, or took a second. `logger` must not throw.
 */
export function createRequestLog(endpoint: Endpoint, logger: Logger): LogRequest {
  const logsAll = endpoint.logRequests === 'all';
  return (request, { principal, cancellation }, reply, code, started) => {
    const durationMs = endpoint.now() - started;
    if (!logsAll && code === undefined && !cancellation.cancelled && durationMs < SLOW_MS) return;
    logger.info(
      {
        requestId: typeof request.id === 'string' ? clip(request.id, MAX_LOGGED_CHARS) : request.id,
        method: clip(request.method, MAX_LOGGED_CHARS),
        name: nameOf(request),
        durationMs: Math.round(durationMs * 1000) / 1000,
        resultChars: reply.text.length,
        subject: principal?.subject,
        tenant: principal?.tenant,
        code,
        cancelled: cancellation.cancelled ? reasonOf(cancellation) : undefined,
      },
      'request',
    );
  };
}

function reasonOf({ reason }: Cancellation): string {
  const text = reason instanceof Error ? reason.message : typeof reason === 'string' ? reason : 'no reason';
  return clip(text, MAX_LOGGED_CHARS);
}

import { clip, type Logger } from '@switchyard/protocol';

import { MAX_LOGGED_CHARS } from '../dispatch/logged.ts';
import type { HttpHead } from '../exchange/http-exchange.ts';
import { createLimitedLogger } from '../limits/limited-logger.ts';

/** Logs a request that was refused before anybody read what it asks for. `reason` is a text of ours. */
export type LogRefusal = (head: HttpHead, status: number, reason: string) => void;

/** Makes the function that logs early refusals, as `info`, at most 10 a second. `logger` must not throw. */
export function createRefusalLog(clock: { now(): number }, logger: Logger): LogRefusal {
  const limited = createLimitedLogger(logger, clock);
  return (head, status, reason) =>
    limited.info(
      {
        status,
        method: clip(head.method, MAX_LOGGED_CHARS),
        path: clip(pathOf(head.target), MAX_LOGGED_CHARS),
        reason,
        ...(status === 403 ? sourceOf(head) : {}),
      },
      'request refused',
    );
}

/** What decides about 403, and where it is allowed. */
function sourceOf(head: HttpHead): object {
  const [host, origin] = [head.header('host'), head.header('origin')];
  return {
    host: host === undefined ? undefined : clip(host, MAX_LOGGED_CHARS),
    origin: origin === undefined ? undefined : clip(origin, MAX_LOGGED_CHARS),
    hint: 'a host is let in by the option allowedHosts, an origin by allowedOrigins',
  };
}

/** A query may hold what is nobody's business. */
function pathOf(target: string): string {
  return target.split(/[?#]/, 1)[0] ?? '';
}

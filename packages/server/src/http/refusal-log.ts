import { clip, type Logger, present } from '@switchyard/protocol';

import type { CallerFacts } from '../authorization/security-event.ts';
import { MAX_LOGGED_CHARS } from '../dispatch/logged.ts';
import type { HttpHead } from '../exchange/http-exchange.ts';
import { createLimitedLogger } from '../limits/limited-logger.ts';

/**
 * Logs a request that was refused before anybody read what it asks for. `reason` is a text of ours; `caller`, of whom
 * nothing need be known, stands for a refusal because of who calls.
 */
export type LogRefusal = (head: HttpHead, status: number, reason: string, caller?: CallerFacts) => void;

/** Makes the function that logs early refusals, as `info`, at most 10 a second. `logger` must not throw. */
export function createRefusalLog(clock: { now(): number }, logger: Logger): LogRefusal {
  const limited = createLimitedLogger(logger, clock);
  return (head, status, reason, caller) =>
    limited.info(
      {
        status,
        method: clip(head.method, MAX_LOGGED_CHARS),
        path: clip(pathOf(head.target), MAX_LOGGED_CHARS),
        reason: clip(reason, MAX_LOGGED_CHARS),
        ...(caller === undefined ? (status === 403 ? sourceOf(head) : {}) : nameOf(caller)),
      },
      'request refused',
    );
}

function nameOf({ subject, tenant }: CallerFacts): object {
  return present({ subject: clipped(subject), tenant: clipped(tenant) });
}

function clipped(text: string | undefined): string | undefined {
  return text === undefined ? undefined : clip(text, MAX_LOGGED_CHARS);
}

/** What decides about 403, and where it is allowed. */
function sourceOf(head: HttpHead): object {
  return {
    host: clipped(head.header('host')),
    origin: clipped(head.header('origin')),
    hint: 'a host is let in by the option allowedHosts, an origin by allowedOrigins',
  };
}

/** A query may hold what is nobody's business. */
function pathOf(target: string): string {
  return target.split(/[?#]/, 1)[0] ?? '';
}

import { clip, type Logger } from '@switchyard/protocol';

import { MAX_LOGGED_CHARS } from '../dispatch/logged.ts';
import type { HttpHead } from './http-exchange.ts';

/** How many refusals are logged in one second; the next line after it says how many more there were. */
export const MAX_REFUSALS_LOGGED = 10;

/** Logs a request that was refused before anybody read what it asks for. `reason` is a text of ours. */
export type LogRefusal = (head: HttpHead, status: number, reason: string) => void;

/** Makes the function that logs early refusals, as `info`, at most {@link MAX_REFUSALS_LOGGED} a second. `logger` must not throw. */
export function createRefusalLog({ now }: { now(): number }, logger: Logger): LogRefusal {
  let since = -Infinity;
  let logged = 0;
  let left = 0;
  return (head, status, reason) => {
    const time = now();
    if (time - since >= 1_000) {
      since = time;
      logged = 0;
    }
    if (logged >= MAX_REFUSALS_LOGGED) {
      left += 1;
      return;
    }
    logged += 1;
    const fields = {
      status,
      method: clip(head.method, MAX_LOGGED_CHARS),
      path: clip(pathOf(head.target), MAX_LOGGED_CHARS),
      reason,
      ...(status === 403 ? sourceOf(head) : {}),
      ...(left === 0 ? {} : { notLogged: left }),
    };
    left = 0;
    logger.info(fields, 'request refused');
  };
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

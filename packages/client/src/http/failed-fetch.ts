import type { ClientError } from '../peer/client-error.ts';
import { excerpt } from '../peer/excerpt.ts';
import type { PeerContext } from '../peer/peer-context.ts';
import { type ConnectionFailure, connectionFailure } from './connection-failure.ts';
import { plainCause } from './plain-cause.ts';
import { RouteError } from './route-error.ts';

/** What TLS reads where the other side speaks plain HTTP. */
const answersWithoutTls: ReadonlySet<string> = new Set([
  'ERR_SSL_WRONG_VERSION_NUMBER',
  'ERR_SSL_PACKET_LENGTH_TOO_LONG',
]);

/** Codes of undici for a request that it does not write, such as one with a field of its own business. */
const codesOfRefusedFields: ReadonlySet<string> = new Set(['UND_ERR_INVALID_ARG', 'UND_ERR_NOT_SUPPORTED']);

/** What undici says of a request in whose place it got 100, at which it ends the socket (`onHeadersComplete`). */
const SAID_AT_CONTINUE = 'bad response';

/** A request that got no HTTP answer. */
interface FailedFetch {
  readonly shown: string;
  readonly what: string;
  readonly error: unknown;
  /** As `FetchPool.saysWhatWasSent`. */
  readonly isExact: boolean;
}

/** What undici says in place of a response with the status 407, and of a tunnel that a proxy refuses with it. */
const WANTS_PROXY_LOGIN = /^(?:proxy authentication required|proxy response \(407\))/i;

/**
 * Answers the error for a request that got no HTTP answer: `connect-failed` where it is certain that no connection was
 * made, so that nothing was sent, and else `closed`; `http-status` where a proxy wants to know who calls, which a fetch
 * function may answer with an error; `invalid-argument` for a configured route that cannot be used. The cause is a plain
 * error with the code and the message of the innermost one.
 */
export function failedFetch(context: PeerContext, { shown, what, error, isExact }: FailedFetch): ClientError {
  if (error instanceof RouteError) {
    return context.fail('invalid-argument', `its sockets cannot be made: ${excerpt(error.message)}`);
  }
  const failure = connectionFailure(error, isExact);
  const cause = plainCause(context, error);
  if (codesOfRefusedFields.has(failure.code) && !WANTS_PROXY_LOGIN.test(failure.message)) {
    return context.fail(
      'invalid-argument',
      `${what} was not sent, since the HTTP library does not take it: ${excerpt(failure.message)}. Look at the header ` +
        'fields that the credentials answer.',
      { cause },
    );
  }
  if (failure.wasNeverMade) {
    return context.fail('connect-failed', `${shown} gave no HTTP answer to ${what}: ${describe(failure)}`, { cause });
  }
  if (WANTS_PROXY_LOGIN.test(failure.message)) {
    return context.fail('http-status', describeProxyRefusal(what), { cause, status: 407 });
  }
  return context.fail(
    'closed',
    `${shown} gave no HTTP answer to ${what}: the connection broke: ${describeBreak(error, failure)}`,
    { cause },
  );
}

function describeBreak(error: unknown, failure: ConnectionFailure): string {
  if (answersWithoutTls.has(failure.code)) return describe(failure);
  if (failure.message !== SAID_AT_CONTINUE) return `${describeCause(error)}.`;
  return (
    'the interim response HTTP 100 (Continue) came, which neither the fetch function of Node passes over nor a way ' +
    'through a SOCKS proxy. Take connect of @switchyard/client/node and another proxy, or have the server send none.'
  );
}

const PROXY_ADVICE = 'Put a user and a password for the proxy into the URL of the proxy.';

/** Answers what HTTP 407 means, which only a proxy sends. */
export function describeProxyRefusal(what: string): string {
  return `the proxy before it refused ${what} with HTTP 407, because it wants to know who calls. ${PROXY_ADVICE}`;
}

/** Answers what an error says in one clause, by its innermost cause. */
export function describeCause(error: unknown): string {
  return excerpt(connectionFailure(error).message);
}

function describe({ code, message }: ConnectionFailure): string {
  if (WANTS_PROXY_LOGIN.test(message)) return `the proxy refused the tunnel with HTTP 407. ${PROXY_ADVICE}`;
  if (answersWithoutTls.has(code))
    return 'the server does not speak TLS. Look whether its URL begins with http:// in place of https://.';
  return `${excerpt(message)}. Look whether the URL is right and the server is running.`;
}

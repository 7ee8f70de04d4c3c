import type { ClientError } from '../peer/client-error.ts';
import { excerpt } from '../peer/excerpt.ts';
import type { PeerContext } from '../peer/peer-context.ts';

/** What TLS reads where the other side speaks plain HTTP. */
const answersWithoutTls: ReadonlySet<unknown> = new Set([
  'ERR_SSL_WRONG_VERSION_NUMBER',
  'ERR_SSL_PACKET_LENGTH_TOO_LONG',
]);

/** Codes of TLS while it shakes hands: names of certificates, and alerts that refuse them. */
const codesOfHandshakes = new RegExp(
  '^(?:CERT_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|HOSTNAME_MISMATCH|ERR_TLS_CERT_|' +
    'ERR_SSL_.*ALERT_(?:HANDSHAKE|PROTOCOL_VERSION|UNKNOWN_CA|ACCESS_DENIED|.*CERTIFICATE))',
);
/** Codes of the system, of undici and of Bun for a connection that was never made. */
const codesOfNoConnection: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'EHOSTDOWN',
  'ENETUNREACH',
  'ENETDOWN',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EADDRNOTAVAIL',
  'EMFILE',
  'ENFILE',
  'ConnectionRefused',
  'FailedToOpenSocket',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_PRX_TLS',
  'UND_ERR_INVALID_ARG',
  'ERR_SSL_WRONG_VERSION_NUMBER',
  'ERR_SSL_PACKET_LENGTH_TOO_LONG',
  'ERR_SSL_UNSUPPORTED_PROTOCOL',
]);
const syscallsOfConnecting: ReadonlySet<unknown> = new Set(['connect', 'getaddrinfo']);

/**
 * Answers the error for a request that got no HTTP answer: `connect-failed` where it is certain that no connection was
 * made, so that nothing was sent, and else `closed`.
 */
export function failedFetch(
  context: PeerContext,
  { shown, what, error }: { readonly shown: string; readonly what: string; readonly error: unknown },
): ClientError {
  const innermost = innermostOf(error);
  if (!neverConnected(innermost)) {
    return context.fail(
      'closed',
      `${shown} gave no HTTP answer to ${what}: the connection broke: ${describeCause(error)}.`,
      { cause: error },
    );
  }
  return context.fail('connect-failed', `${shown} gave no HTTP answer to ${what}: ${describe(innermost)}`, {
    cause: error,
  });
}

/** Answers what an error says in one clause, by its innermost cause. */
export function describeCause(error: unknown): string {
  const innermost = innermostOf(error);
  if (!(innermost instanceof Error)) return excerpt(String(innermost));
  return excerpt(innermost.message === '' ? innermost.name : innermost.message);
}

function describe(innermost: unknown): string {
  if (innermost instanceof Error && 'code' in innermost && answersWithoutTls.has(innermost.code))
    return 'the server does not speak TLS. Look whether its URL begins with http:// in place of https://.';
  return `${describeCause(innermost)}. Look whether the URL is right and the server is running.`;
}

function neverConnected(innermost: unknown): boolean {
  if (!(innermost instanceof Error)) return false;
  if ('syscall' in innermost && syscallsOfConnecting.has(innermost.syscall)) return true;
  // Of a proxy that made no tunnel, undici says so by a message alone.
  if (innermost.message.startsWith('Proxy response (')) return true;
  const code = 'code' in innermost ? String(innermost.code) : '';
  return codesOfNoConnection.has(code) || codesOfHandshakes.test(code);
}

/** The innermost cause says what happened; a fetch function wraps it in a message without content. */
function innermostOf(error: unknown): unknown {
  let innermost = error;
  for (let depth = 0; depth < 5 && innermost instanceof Error && innermost.cause !== undefined; depth += 1) {
    innermost = innermost.cause;
  }
  return innermost instanceof AggregateError && innermost.errors.length > 0 ? innermost.errors[0] : innermost;
}

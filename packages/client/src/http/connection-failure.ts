import { NeverSentError } from './never-sent.ts';

/** What became of a connection through which no HTTP answer came. */
export interface ConnectionFailure {
  /** Whether it is certain that no connection was made, so that nothing was sent. */
  readonly wasNeverMade: boolean;
  /** The code of the system, of TLS or of the HTTP library, such as `ECONNREFUSED`; empty where there is none. */
  readonly code: string;
  /** What the innermost cause says, as it says it, which may be text of the peer. */
  readonly message: string;
}

/**
 * Codes of TLS that come of a certificate, which is looked at before anything is sent. What else breaks TLS can do so at
 * any time.
 */
const codesOfCertificates = /^(?:CERT_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|HOSTNAME_MISMATCH|ERR_TLS_CERT_)/;
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
]);
const syscallsOfConnecting: ReadonlySet<unknown> = new Set(['connect', 'getaddrinfo']);

/**
 * Answers what a fetch function tells by the error that it threw, by its innermost cause: a fetch function wraps that in
 * a message without content. `isExact`: it says by itself what was never sent, so nothing else proves that.
 */
export function connectionFailure(error: unknown, isExact = false): ConnectionFailure {
  const innermost = innermostOf(error);
  const wasNeverSent = error instanceof NeverSentError;
  if (!(innermost instanceof Error)) return { wasNeverMade: wasNeverSent, code: '', message: String(innermost) };
  const code = 'code' in innermost && typeof innermost.code === 'string' ? innermost.code : '';
  const message = innermost.message === '' ? innermost.name : innermost.message;
  return { wasNeverMade: wasNeverSent || (!isExact && neverConnected(innermost, code)), code, message };
}

function neverConnected(innermost: Error, code: string): boolean {
  // A route that is lost while an answer is awaited has the same codes as one that was never there.
  if ('syscall' in innermost && innermost.syscall !== undefined) return syscallsOfConnecting.has(innermost.syscall);
  // Of a proxy that made no tunnel, undici says so by a message alone.
  if (innermost.message.startsWith('Proxy response (')) return true;
  return codesOfNoConnection.has(code) || codesOfCertificates.test(code);
}

function innermostOf(error: unknown): unknown {
  let innermost = error;
  for (let depth = 0; depth < 5 && innermost instanceof Error && innermost.cause !== undefined; depth += 1) {
    innermost = innermost.cause;
  }
  return innermost instanceof AggregateError && innermost.errors.length > 0 ? innermost.errors[0] : innermost;
}

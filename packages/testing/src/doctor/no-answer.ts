import type { NoAnswer } from './heard.ts';

const neverConnected =
  /^(?:E(?:CONNREFUSED|HOSTUNREACH|HOSTDOWN|NETUNREACH|NOTFOUND|AI_AGAIN|ADDRNOTAVAIL|NOENT|NOTSOCK|ACCES)|UND_ERR_CONNECT_TIMEOUT|UND_ERR_PRX_TLS|CERT_.*|UNABLE_TO_.*|DEPTH_ZERO_.*|SELF_SIGNED_.*|ERR_TLS_.*|ERR_SSL_.*)$/;

/** Answers why a request got no answer, from what a fetch function threw: the innermost cause says it. */
export function toNoAnswer(error: unknown): NoAnswer {
  let innermost = error;
  for (let depth = 0; depth < 5 && innermost instanceof Error; depth += 1) {
    const next: unknown = innermost instanceof AggregateError ? innermost.errors[0] : innermost.cause;
    if (!(next instanceof Error)) break;
    innermost = next;
  }
  const found = innermost instanceof Error ? innermost : new Error(String(innermost));
  const code = codeOf(found);
  // Of a proxy that made no tunnel, the library says so by its message alone.
  const isProxy = found.message.startsWith('Proxy response (');
  return { kind: neverConnected.test(code) || isProxy ? 'unreachable' : 'closed', code, message: found.message };
}

function codeOf(error: Error & { readonly code?: unknown }): string {
  return typeof error.code === 'string' ? error.code : '';
}

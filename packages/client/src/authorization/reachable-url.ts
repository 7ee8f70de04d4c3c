import { isLoopbackUrl } from '@switchyard/protocol';
import type { PeerContext } from '../peer/peer-context.ts';
import { describeUrl } from '../http/endpoint.ts';

const INTERNAL =
  /^(?:.+\.localhost|0(?:\.\d+){3}|10(?:\.\d+){3}|192\.168(?:\.\d+){2}|172\.(?:1[6-9]|2\d|3[01])(?:\.\d+){2}|169\.254(?:\.\d+){2}|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7])(?:\.\d+){2}|\[(?:::|f[cd]|fe[89ab]|::ffff:).*\])$/;

/**
 * Answers the URL that a server, or a document it points to, names for the client to reach. It is HTTPS; HTTP counts
 * only where both the MCP server and the URL are on this machine. A public server cannot name this machine or an
 * address of a private network, so that it cannot make a client behind a firewall ask about for it. Names are not
 * resolved: who needs that, too, gives a `fetch` that looks at addresses. Throws a `ClientError` of code
 * `authorization`.
 */
export function toReachableUrl(context: Pick<PeerContext, 'fail'>, what: string, given: unknown, server: URL): URL {
  const url = typeof given === 'string' ? URL.parse(given) : null;
  if (url === null) throw context.fail('authorization', `${what} is no absolute URL.`);
  if (url.username !== '' || url.password !== '') {
    throw context.fail('authorization', `${what} holds a user or a password, which no such URL may.`);
  }
  const isNear = isLoopbackUrl(url);
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isNear && isLoopbackUrl(server))) {
    throw context.fail(
      'authorization',
      `${what} is ${describeUrl(url)}. It must be an https: URL, since secrets go there; http: is only for a server on this machine.`,
    );
  }
  const isInternal = isNear || INTERNAL.test(withoutDot(url.hostname));
  if (isInternal && !isLoopbackUrl(server) && !INTERNAL.test(server.hostname)) {
    throw context.fail(
      'authorization',
      `${what} is ${describeUrl(url)}, an address of a private network that a public server may not point to.`,
    );
  }
  return url;
}

/** A name that ends with a dot is the same name. */
function withoutDot(hostname: string): string {
  return hostname.replace(/\.$/, '');
}

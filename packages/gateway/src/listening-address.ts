import type { Configuration } from '@switchyard/config';
import { isLoopback } from '@switchyard/server';
import { GatewayError } from './gateway-error.ts';

/** Where the gateway listens. */
export interface ListeningAddress {
  readonly host: string;
  readonly port: number;
}

/**
 * Answers where the gateway listens: what is given, else what the configuration says. Throws GatewayError
 * `not-loopback` for an address that others could reach, and for an allowed host by whose name they could come through
 * a proxy, because nobody authenticates yet.
 */
export function listeningAddress(
  { gateway }: Pick<Configuration, 'gateway'>,
  given: Partial<ListeningAddress> = {},
): ListeningAddress {
  const host = given.host ?? gateway.host;
  if (!isLoopback(host)) {
    throw new GatewayError(
      'not-loopback',
      `the gateway does not listen on ${host}: whoever reaches it could call every tool of the anonymous agent, and it authenticates nobody yet. Use 127.0.0.1`,
      ['gateway', 'host'],
    );
  }
  const foreign = gateway.allowedHosts.find((allowed) => !isLoopback(withoutPort(allowed).replace(/^\[(.*)\]$/, '$1')));
  if (foreign !== undefined) {
    throw new GatewayError(
      'not-loopback',
      `the gateway does not serve the name ${foreign}: whoever comes by it, through a proxy for example, could call every tool of the anonymous agent, and it authenticates nobody yet. Leave it out of gateway.allowedHosts`,
      ['gateway', 'allowedHosts'],
    );
  }
  return { host, port: given.port ?? gateway.port };
}

/** Answers an allowed host as the server compares it. */
export function withoutPort(allowed: string): string {
  return allowed.replace(/:\d{1,5}$/, '');
}

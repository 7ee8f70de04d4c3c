import type { Configuration } from '@switchyard/config';
import { isLoopback } from '@switchyard/server';
import { GatewayError } from './gateway-error.ts';

/** Where the gateway listens. */
export interface ListeningAddress {
  readonly host: string;
  readonly port: number;
}

/**
 * Answers where the gateway listens: what is given, else what the configuration says. Throws GatewayError `not-loopback` for an address that
 * others could reach, because nobody authenticates yet.
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
  return { host, port: given.port ?? gateway.port };
}

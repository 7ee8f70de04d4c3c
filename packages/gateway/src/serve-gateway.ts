import process from 'node:process';
import type { Host } from '@switchyard/host';
import { legacyClients } from '@switchyard/server';
import {
  type RunningServer,
  serveEndpoint,
  serveEndpointStdio,
  type ServeStdioOptions,
  type StdioServer,
} from '@switchyard/server/node';
import { anonymousAgent } from './anonymous-agent.ts';
import { createGateway, type GatewayOptions } from './create-gateway.ts';
import { GatewayError } from './gateway-error.ts';
import { type ListeningAddress, listeningAddress } from './listening-address.ts';

/** How a gateway is served; what is left out comes from the host's configuration. */
export interface ServeGatewayOptions extends Partial<ListeningAddress>, Partial<GatewayOptions> {}

/**
 * Serves a host over Streamable HTTP to clients of every revision, on a loopback address only, with the paths, hosts, origins and limits of its configuration. The host is
 * not closed with the server. Rejects with GatewayError.
 *
 * Spec: basic/transports/streamable-http (2026-07-28).
 */
export async function serveGateway(host: Host, options: ServeGatewayOptions = {}): Promise<RunningServer> {
  const { configuration } = host;
  const { gateway, limits } = configuration;
  const agent = anonymousAgent(configuration, options.agent);
  const address = listeningAddress(configuration, options);
  const endpoint = createGateway(host, { ...options, agent, mirrorsArguments: true });
  try {
    return await serveEndpoint(endpoint, {
      ...address,
      path: gateway.path,
      maxBodyBytes: limits.maxBodyBytes,
      allowedOrigins: gateway.allowedOrigins,
      // The server compares host names without their port.
      allowedHosts: gateway.allowedHosts.map((allowed) => allowed.replace(/:\d{1,5}$/, '')),
      legacy: legacyClients(),
    });
  } catch (error) {
    throw toGatewayError(error, address);
  }
}

/** Serves a host over stdio, to one caller that starts this process. The host is not closed with the server. Throws GatewayError. */
export function serveGatewayStdio(
  host: Host,
  options: Partial<GatewayOptions> & Pick<ServeStdioOptions, 'input' | 'output'> = {},
): Promise<StdioServer> {
  const { input = process.stdin, output, ...rest } = options;
  const { limits } = host.configuration;
  const agent = anonymousAgent(host.configuration, options.agent);
  const endpoint = createGateway(host, { ...rest, agent, mirrorsArguments: false });
  // With its own input the server would end the process before the host is closed.
  const served = {
    input,
    maxLineBytes: limits.maxBodyBytes,
    legacy: legacyClients(),
    ...(output === undefined ? {} : { output }),
  };
  return serveEndpointStdio(endpoint, served);
}

function toGatewayError(error: unknown, { host, port }: ListeningAddress): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'EADDRINUSE') {
    return new GatewayError(
      'port-taken',
      `port ${port} on ${host} is taken by another process: end that, or use another port with --port or gateway.port (0 takes any free one)`,
      ['gateway', 'port'],
      { cause: error },
    );
  }
  if (code === undefined) return error;
  const why = error instanceof Error ? error.message : String(error);
  return new GatewayError(
    'cannot-listen',
    `the gateway cannot listen on ${host}, port ${port}: ${why}`,
    ['gateway', 'host'],
    {
      cause: error,
    },
  );
}

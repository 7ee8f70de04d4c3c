import process from 'node:process';
import type { Host } from '@switchyard/host';
import { assertKnownOptions, type KnownOptions, present } from '@switchyard/protocol';
import { legacyClients } from '@switchyard/server';
import {
  type RunningServer,
  serveEndpoint,
  serveEndpointStdio,
  type ServeStdioOptions,
  type StdioServer,
} from '@switchyard/server/node';
import { anonymousAgent } from './anonymous-agent.ts';
import { createGateway, type GatewayOptions, gatewayOptions } from './create-gateway.ts';
import { GatewayError } from './gateway-error.ts';
import { type ListeningAddress, listeningAddress, withoutPort } from './listening-address.ts';

// Whether arguments are mirrored is settled by the transport.
const { mirrorsArguments: _settled, ...commonOptions } = gatewayOptions;

/** How a gateway is served; what is left out comes from the host's configuration. */
export interface ServeGatewayOptions
  extends Partial<ListeningAddress>, Omit<Partial<GatewayOptions>, 'mirrorsArguments'> {}

const serveGatewayOptions: KnownOptions<ServeGatewayOptions> = { ...commonOptions, host: true, port: true };

/**
 * Serves a host over Streamable HTTP to clients of every revision, on a loopback address only, with the paths, hosts,
 * origins and limits of its configuration. The host is not closed with the server. Rejects with GatewayError.
 *
 * Spec: basic/transports/streamable-http (2026-07-28).
 */
export async function serveGateway(host: Host, options: ServeGatewayOptions = {}): Promise<RunningServer> {
  assertKnownOptions('serveGateway', options, serveGatewayOptions, { createGateway: gatewayOptions });
  const { configuration } = host;
  const { gateway, limits } = configuration;
  const agent = anonymousAgent(configuration, options.agent);
  const { host: _host, port: _port, ...rest } = options;
  const address = listeningAddress(configuration, options);
  const endpoint = createGateway(host, { ...rest, agent, mirrorsArguments: true });
  try {
    return await serveEndpoint(endpoint, {
      ...address,
      path: gateway.path,
      maxBodyBytes: limits.maxBodyBytes,
      allowedOrigins: gateway.allowedOrigins,
      allowedHosts: gateway.allowedHosts.map(withoutPort),
      legacy: legacyClients(),
    });
  } catch (error) {
    throw toGatewayError(error, address);
  }
}

/** How a gateway is served over stdio; what is left out comes from the host's configuration. */
export interface ServeGatewayStdioOptions
  extends Omit<Partial<GatewayOptions>, 'mirrorsArguments'>, Pick<ServeStdioOptions, 'input' | 'output'> {}

const serveGatewayStdioOptions: KnownOptions<ServeGatewayStdioOptions> = {
  ...commonOptions,
  input: true,
  output: true,
};

/**
 * Serves a host over stdio, to one caller that starts this process. The host is not closed with the server. Throws
 * GatewayError.
 */
export async function serveGatewayStdio(host: Host, options: ServeGatewayStdioOptions = {}): Promise<StdioServer> {
  assertKnownOptions('serveGatewayStdio', options, serveGatewayStdioOptions, { createGateway: gatewayOptions });
  const { input = process.stdin, output, ...rest } = options;
  const { limits } = host.configuration;
  const agent = anonymousAgent(host.configuration, options.agent);
  const endpoint = createGateway(host, { ...rest, agent, mirrorsArguments: false });
  // With its own input the server would end the process before the host is closed.
  const served = {
    input,
    maxLineBytes: limits.maxBodyBytes,
    legacy: legacyClients(),
    ...present({ output }),
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

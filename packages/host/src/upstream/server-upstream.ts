import { createHttpTransport, createMemoryTransport, type Transport } from '@switchyard/client';
import { connect, createStdioTransport, openPooledFetch } from '@switchyard/client/node';
import type { Environment, LimitsConfiguration, ServerConfiguration } from '@switchyard/config';
import { type Logger, present, type Responder } from '@switchyard/protocol';
import { createSchemaCompiler } from '@switchyard/protocol/schema';
import { createLeftOutWarnings } from '../catalog/left-out-warnings.ts';
import { loadServerCatalog } from '../catalog/server-catalog.ts';
import type { Surroundings } from '../surroundings.ts';
import { createUpstream, type Upstream } from './upstream.ts';
import { watchTransport } from './watched-transport.ts';

/** What is behind a server's name: a configured server, or a responder in this process. */
type ServerSource = ServerConfiguration | { readonly responder: Responder };

/** What all upstreams of a host share. */
interface UpstreamSettings {
  readonly limits: LimitsConfiguration;
  readonly logger: Logger;
  readonly surroundings: Surroundings;
  /** Whether integers beyond the range of a double are kept digit for digit, as `bigint`. */
  readonly exactIntegers: boolean;
  /** Gets each line of a server's stderr. */
  readonly onServerStderr?: ((server: string, line: string) => void) | undefined;
}

/** Answers a function that creates the upstream of a server under the host's limits. */
export function createServerUpstreams(settings: UpstreamSettings): (name: string, source: ServerSource) => Upstream {
  const { limits, logger, surroundings, exactIntegers, onServerStderr } = settings;
  const { env: baseEnv, now, after } = surroundings;
  const schemas = {
    input: createSchemaCompiler({ fillDefaults: true, checksFormats: false }),
    output: createSchemaCompiler({ checksFormats: false }),
  };

  return (name, source) => {
    const timeoutMs = 'responder' in source ? limits.callTimeoutMs : Math.min(source.timeoutMs, limits.callTimeoutMs);
    const onStderr = onServerStderr === undefined ? undefined : (line: string) => onServerStderr(name, line);
    const warnOfLeftOut = createLeftOutWarnings(name, logger, 'left out');
    const warnOfUnchecked = createLeftOutWarnings(name, logger, 'not checked in its results');
    return createUpstream({
      name,
      timeoutMs,
      startTimeoutMs: limits.startTimeoutMs,
      logger,
      surroundings,
      open: ({ signal, onNotification, watch }) =>
        connect(watchTransport(toTransport(source, baseEnv, onStderr), watch), {
          name,
          signal,
          onNotification,
          startTimeoutMs: limits.startTimeoutMs,
          maxMessageBytes: messageLimit(limits),
          exactIntegers,
          // The host measures and checks by its own limits, fills defaults in, and records what it refused.
          checks: false,
          // The host keeps the lists itself, and asks for each read of an agent.
          cache: false,
          clock: { now, after },
          onWarning: ({ code, message }) => {
            // What is left out of a list is logged with what the host leaves out, once.
            if (code !== 'entry-left-out') logger.warn({ server: name, code }, message);
          },
        }),
      load: (client, previous, signal) =>
        loadServerCatalog(client, {
          server: name,
          previous,
          schemas,
          signal,
          timeoutMs: limits.startTimeoutMs,
          onLeftOut: warnOfLeftOut,
          onUnchecked: warnOfUnchecked,
        }),
    });
  };
}

function toTransport(
  source: ServerSource,
  baseEnv: Environment,
  onStderr: ((line: string) => void) | undefined,
): Transport {
  if ('responder' in source) return createMemoryTransport(source.responder);
  if (source.type === 'http') {
    return createHttpTransport({
      url: source.url,
      headers: source.headers,
      openPool: () => openPooledFetch({ baseEnv }),
    });
  }
  const { command, args, env, cwd } = source;
  return createStdioTransport({ command, args, env, cwd, baseEnv, ...present({ onStderr }) });
}

/** The envelope around a result needs some room, so that a result at the limit still arrives. */
function messageLimit({ maxResultBytes }: Pick<LimitsConfiguration, 'maxResultBytes'>): number {
  return maxResultBytes + 64 * 1024;
}

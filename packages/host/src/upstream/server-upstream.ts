import { connect } from '@switchyard/client/node';
import type { Environment, LimitsConfiguration, ServerConfiguration } from '@switchyard/config';
import type { Responder } from '@switchyard/protocol';
import { createSchemaCompiler } from '@switchyard/protocol/schema';
import { loadServerCatalog } from '../catalog/server-catalog.ts';
import type { HostParts } from '../host.ts';
import { createUpstream, type Upstream } from './upstream.ts';

/** What is behind a server's name: a configured server, or a responder in this process. */
export type ServerTarget = ServerConfiguration | { readonly responder: Responder };

/** Answers a function that creates the upstream of a server under the host's limits. */
export function createServerUpstreams(parts: HostParts): (name: string, target: ServerTarget) => Upstream {
  const { configuration, logger, surroundings, exactIntegers } = parts;
  const { limits } = configuration;
  const { env: baseEnv, now, after } = surroundings;
  const schemas = { input: createSchemaCompiler({ fillDefaults: true }), output: createSchemaCompiler() };

  return (name, target) => {
    const timeoutMs = 'responder' in target ? limits.callTimeoutMs : Math.min(target.timeoutMs, limits.callTimeoutMs);
    return createUpstream({
      name,
      timeoutMs,
      startTimeoutMs: limits.startTimeoutMs,
      logger,
      surroundings,
      open: ({ signal, onNotification }) =>
        connect(toClientTarget(target, baseEnv), {
          name,
          signal,
          onNotification,
          startTimeoutMs: limits.startTimeoutMs,
          maxMessageBytes: messageLimit(limits),
          exactIntegers,
          clock: { now, after },
          onWarning: ({ code, message }) => {
            // What is left out of a list is logged with what the host leaves out, once.
            if (code !== 'entry-left-out') logger.warn({ server: name, code }, message);
          },
          ...('url' in target ? { headers: target.headers } : {}),
        }),
      load: (client, previous, signal) =>
        loadServerCatalog(client, {
          server: name,
          previous,
          schemas,
          signal,
          timeoutMs: limits.startTimeoutMs,
          logger,
        }),
    });
  };
}

function toClientTarget(target: ServerTarget, baseEnv: Environment): Parameters<typeof connect>[0] {
  if ('responder' in target) return target.responder;
  if (target.type === 'http') return new URL(target.url);
  const { command, args, env, cwd } = target;
  return { command, args, env, cwd, baseEnv };
}

/** The envelope around a result needs some room, so that a result at the limit still arrives. */
function messageLimit({ maxResultBytes }: Pick<LimitsConfiguration, 'maxResultBytes'>): number {
  return maxResultBytes + 64 * 1024;
}

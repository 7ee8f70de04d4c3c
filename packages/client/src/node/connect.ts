import type { Client } from '../client.ts';
import { connectThrough, type ConnectOptions, type Target, toTransport } from '../connect.ts';
import type { Transport } from '../connection.ts';
import { poolOf } from '../http/fetch.ts';
import { openPooledFetch } from './pooled-fetch.ts';
import { type Command, createStdioTransport } from './stdio-transport.ts';

/** A command to start, a URL, a server in this process, or a transport of one's own. */
export type NodeTarget = Target | Command;

/**
 * Reaches one server of any revision, as `connect` of the root entry does, and can start it as a child process, too.
 * HTTP goes through a pool of sockets of its own unless `fetch` is given; it has no time limit beside those of the
 * options.
 *
 * Spec: basic/versioning, basic/transports/stdio (2026-07-28).
 */
export function connect(target: NodeTarget, options: ConnectOptions = {}): Promise<Client> {
  const { fetch } = options;
  const openPool = fetch === undefined ? openPooledFetch : () => poolOf(fetch);
  return connectThrough(() => findTransport(target, { headers: options.headers, openPool }), options);
}

function findTransport(target: NodeTarget, http: Parameters<typeof toTransport>[1]): Transport | undefined {
  return toTransport(target, http) ?? (isCommand(target) ? createStdioTransport(target) : undefined);
}

function isCommand(target: unknown): target is Command {
  return typeof target === 'object' && target !== null && 'command' in target && typeof target.command === 'string';
}

import type { Client } from '../client.ts';
import { connectThrough, type ConnectOptions, type Target, toTransport } from '../connect.ts';
import type { Transport } from '../connection.ts';
import { openPooledFetch } from './pooled-fetch.ts';
import { type Command, createStdioTransport } from './stdio-transport.ts';

/** A command to start, a URL, a server in this process, or a transport of one's own. */
export type NodeTarget = Target | Command;

/**
 * Reaches one server of any revision, as `connect` of the root entry does, and can start it as a child process, too. HTTP goes
 * through a pool of connections of its own unless `fetch` is given.
 *
 * Spec: basic/versioning, basic/transports/stdio (2026-07-28).
 */
export function connect(target: NodeTarget, options: ConnectOptions = {}): Promise<Client> {
  const { fetch } = options;
  const openPool = fetch === undefined ? openPooledFetch : () => ({ fetch, close: () => Promise.resolve() });
  return connectThrough(() => findTransport(target, { headers: options.headers, openPool }), options);
}

function findTransport(target: NodeTarget, http: Parameters<typeof toTransport>[1]): Transport | undefined {
  const transport = toTransport(target, http);
  if (transport !== undefined) return transport;
  return typeof target === 'object' && 'command' in target ? createStdioTransport(target) : undefined;
}

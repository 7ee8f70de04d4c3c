import type { Client } from '../client.ts';
import { connectThrough } from '../connect.ts';
import { type ConnectOptions, connectOptions, nodeOptions } from '../connect-options.ts';
import { type HttpTarget, type Target, toTransport } from '../target.ts';
import { targetHint } from '../target-hint.ts';
import { assertKnownOptions, type KnownOptions } from '@switchyard/protocol';
import type { Transport } from '../message/connection.ts';
import { poolOf } from '../http/fetch.ts';
import { type NetworkOptions, openPooledFetch } from './pooled-fetch.ts';
import type { Command } from './command.ts';
import { createStdioTransport } from './stdio-transport.ts';
import { readUnixTarget, type UnixTarget } from './unix-target.ts';

/** A command to start, a URL, a server in this process, or a transport of one's own. */
export type NodeTarget = Target | Command;

/** How to reach a server, and how sockets to it are made; those do not count where `fetch` is given. */
export interface NodeConnectOptions extends ConnectOptions, NetworkOptions {}

const nodeConnectOptions: KnownOptions<NodeConnectOptions> = { ...connectOptions, ...nodeOptions };

/**
 * Reaches one server of any revision, as `connect` of the root entry does, and can start it as a child process, too.
 * HTTP goes through a pool of sockets of its own unless `fetch` is given; it has no time limit beside those of the
 * options, and takes the proxies of the environment unless `proxy` says otherwise. A URL like
 * `unix:///run/server.sock#/mcp` is a server behind a unix socket.
 *
 * Spec: basic/versioning, basic/transports/stdio (2026-07-28).
 */
export async function connect(target: NodeTarget, options: NodeConnectOptions = {}): Promise<Client> {
  assertKnownOptions('connect', options, nodeConnectOptions);
  const hint = unixTargetOf(target) === undefined ? targetHint(target, 'node') : undefined;
  return connectThrough(findTransport(target, options), options, hint);
}

function findTransport(target: NodeTarget, options: NodeConnectOptions): Transport | undefined {
  const { fetch, headers, credentials, proxy, baseEnv, tls } = options;
  const unix = unixTargetOf(target);
  const socketPath = unix?.socketPath ?? options.socketPath;
  const openPool =
    fetch === undefined ? () => openPooledFetch({ proxy, baseEnv, tls, socketPath }) : () => poolOf(fetch);
  const http = { headers, credentials, openPool };
  if (unix !== undefined) {
    const through = toTransport(isHttpTarget(target) ? { ...target, url: unix.url } : unix.url, http);
    return through && named(through, unix.shown, unix.shown);
  }
  if (isCommand(target)) return createStdioTransport(target);
  const transport = toTransport(target, http);
  if (transport?.identity === undefined || socketPath === undefined || transport === target) return transport;
  return named(transport, transport.name, `${transport.identity} by ${socketPath}`);
}

function unixTargetOf(target: NodeTarget): UnixTarget | undefined {
  const url: unknown = isHttpTarget(target) ? target.url : target;
  return typeof url === 'string' || url instanceof URL ? readUnixTarget(url) : undefined;
}

function isHttpTarget(target: NodeTarget): target is HttpTarget {
  return typeof target === 'object' && target !== null && 'url' in target;
}

/** The URL alone does not say what is reached through a socket. */
function named(transport: Transport, name: string, identity: string): Transport {
  const { older } = transport;
  return { ...transport, name, identity, ...(older === undefined ? {} : { older: named(older, name, identity) }) };
}

function isCommand(target: unknown): target is Command {
  return typeof target === 'object' && target !== null && 'command' in target && typeof target.command === 'string';
}

import { type Client, connect, type ConnectOptions, createMemoryTransport } from '@switchyard/client';
import type { Server } from '@switchyard/server';

/**
 * Connects a client to a server in this process, without a port or a child process. Messages still cross as JSON text through
 * the code of both sides, so that a test sees what a client on any transport would see. Errors name the server by its own name
 * unless `options.name` gives another.
 *
 * The caller closes the client, for example with `await using`; the server holds nothing that would need an end.
 */
export function connectInMemory(server: Server, options: ConnectOptions = {}): Promise<Client> {
  return connect(createMemoryTransport(server), { name: server.endpoint().info.name, ...options });
}

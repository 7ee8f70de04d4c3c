import { openStdio, type StdioRoute } from '../stdio-route.ts';
import type { Received } from '../wire.ts';
import { initializeOf, notificationOf } from './legacy-route.ts';
import { createLegacyServer, type Traces } from './legacy-server.ts';

/** Serves the legacy server over stdio, to a client that has said nothing yet. */
export async function open(
  ...args: Parameters<typeof createLegacyServer>
): Promise<StdioRoute & { readonly traces: Traces }> {
  const { server, traces } = createLegacyServer(...args);
  return { ...(await openStdio(server)), traces };
}

/** The same to a client whose session is open. */
export async function initialized(revision = '2025-11-25', capabilities: object = {}): ReturnType<typeof open> {
  const route = await open();
  route.send(initializeOf(revision, capabilities));
  route.send(notificationOf('notifications/initialized'));
  await answerTo(route, 0);
  return route;
}

/** Waits for the response to a request of the client. */
export function answerTo(route: StdioRoute, id: unknown): Promise<Received> {
  return route.seen((message) => message.id === id && message.method === undefined);
}

/** Waits for a request of the server. */
export function askOf(route: StdioRoute, method: string): Promise<Received> {
  return route.seen((message) => message.method === method);
}

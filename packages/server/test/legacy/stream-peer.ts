import type { LegacyOptions, Server } from '@switchyard/server';
import { createServer, silentLogger } from '@switchyard/server';

import type { Received } from '../wire.ts';
import { type Answer, legacyRequest, type LegacyPeer, openLegacy } from './legacy-route.ts';
import { createLegacyServer, type Traces } from './legacy-server.ts';

export interface Opened {
  readonly peer: LegacyPeer;
  readonly server: Server;
  readonly traces: Traces;
}

export async function open(
  legacy: LegacyOptions = {},
  capabilities: object = { elicitation: {}, sampling: {}, roots: {} },
  revision = '2025-11-25',
): Promise<Opened> {
  const { server, traces } = createLegacyServer();
  return { server, traces, peer: await (await openLegacy(server, legacy)).open(revision, capabilities) };
}

export function isStream({ headers }: Answer): boolean {
  return headers.get('content-type') === 'text/event-stream';
}

export const decline = (ask: Received | undefined): object => ({
  jsonrpc: '2.0',
  id: ask?.id,
  result: { action: 'decline' },
});

/** A tool that answers when it is told to. */
export function createHeldServer(): {
  readonly server: Server;
  readonly release: () => void;
  readonly started: Promise<void>;
} {
  const gate = Promise.withResolvers<void>();
  const started = Promise.withResolvers<void>();
  const server = createServer({ name: 'held', version: '1.0.0' }, { logger: silentLogger }).tool(
    'held',
    {},
    async (_args, ctx) => {
      ctx.progress(1, 2);
      started.resolve();
      await gate.promise;
      ctx.progress(2, 2);
      return 'released';
    },
  );
  return { server, release: gate.resolve, started: started.promise };
}

export const held = legacyRequest('tools/call', { name: 'held', _meta: { progressToken: 'p' } }, 3);

import type { JsonObject } from '@switchyard/protocol';
import { afterEach } from 'vitest';
import {
  type Client,
  type ClientWarning,
  connect,
  type Connection,
  type ConnectOptions,
  type Principal,
  type Transport,
} from '../../src/index.ts';
import { createManualClock, type ManualClock } from '../manual-clock.ts';
import { createScriptedPeer, discovery, type ScriptedPeer, type Written } from '../scripted-peer.ts';

const clients: Client[] = [];

/** What the clients of the current test warned of. */
export const warnings: ClientWarning[] = [];

afterEach(async () => {
  warnings.length = 0;
  await Promise.all(clients.splice(0).map((client) => client.close()));
});

/** Closes a client after the test. */
export function closeAfterwards(client: Client): Client {
  clients.push(client);
  return client;
}

/** A result, or an error response, or nothing: then the test answers. */
export type Answer = JsonObject | { readonly error: JsonObject } | undefined;

export interface Served {
  readonly client: Client;
  readonly peer: ScriptedPeer;
  readonly clock: ManualClock;
  /** The requests that reached the server, without those of the start. */
  asked(): readonly string[];
  /** Ends the connection; the next call opens another one. */
  drop(): Promise<void>;
}

interface ServeOptions extends ConnectOptions {
  readonly identity?: string;
  /** Whom the server takes the client for, now. */
  readonly principal?: () => Principal;
  /** In whose name each request turns out to be sent. Default: the connection cannot tell. */
  readonly sentAs?: () => Principal;
  readonly manualClock?: ManualClock;
  /** What the server says that it can do. */
  readonly offers?: JsonObject;
}

/** A modern server that answers as told; further clients may reach it by the same function. */
export async function serve(
  answer: (message: Written, count: number) => Answer,
  { identity, principal, sentAs, manualClock, offers, ...options }: ServeOptions = {},
): Promise<Served> {
  const clock = manualClock ?? createManualClock();
  let count = 0;
  let connection: Connection | undefined;
  const peer = createScriptedPeer((message) => {
    const { id, method } = message;
    if (method === 'server/discover' && offers !== undefined) {
      peer.answer(id, { ...discovery, capabilities: offers });
      return true;
    }
    if (id === undefined || method === undefined || method === 'server/discover') return false;
    count += 1;
    const given = answer(message, count);
    if (given === undefined) return true;
    if ('error' in given) peer.send({ jsonrpc: '2.0', id, error: given.error });
    else peer.answer(id, { resultType: 'complete', ...given });
    return true;
  });
  const transport: Transport = {
    ...peer.transport,
    ...(identity === undefined ? {} : { identity }),
    async open(opening) {
      const opened = await peer.transport.open(opening);
      connection = opened;
      return {
        ...opened,
        ...(principal === undefined ? {} : { principal }),
        request(message, requestOptions) {
          if (sentAs !== undefined) requestOptions.onSentAs?.(sentAs());
          return opened.request(message, requestOptions);
        },
      };
    },
  };
  const client = closeAfterwards(
    await connect(transport, {
      name: 'depot',
      clock,
      random: () => 0,
      onWarning: (warning) => warnings.push(warning),
      ...options,
    }),
  );
  return {
    client,
    peer,
    clock,
    drop: async () => connection?.close(),
    asked: () =>
      peer.written.flatMap(({ id, method }) =>
        id === undefined || method === undefined || method === 'server/discover' ? [] : [method],
      ),
  };
}

export const tool = (name: string) => ({ name, inputSchema: { type: 'object' } });

/** A page of tools that stays fresh for a minute. */
export const toolsOf = (names: readonly string[], more: JsonObject = {}): JsonObject => ({
  tools: names.map(tool),
  ttlMs: 60_000,
  cacheScope: 'private',
  ...more,
});

/** What a resource holds. */
export const contentsOf = (uri: unknown, text: string, more: JsonObject = {}): JsonObject => ({
  contents: [{ uri: String(uri), text }],
  ttlMs: 60_000,
  cacheScope: 'private',
  ...more,
});

/** The names of listed tools. */
export const namesOf = ({ tools }: { readonly tools: readonly { readonly name: string }[] }): readonly string[] =>
  tools.map(({ name }) => name);

export const listChanged = { jsonrpc: '2.0', method: 'notifications/tools/list_changed' } as const;

export const updated = (uri: string) => ({
  jsonrpc: '2.0',
  method: 'notifications/resources/updated',
  params: { uri },
});

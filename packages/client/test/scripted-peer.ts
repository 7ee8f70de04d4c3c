import type { JsonObject } from '@switchyard/protocol';
import { createDuplexConnection, type Transport } from '../src/index.ts';

/** A message that the client wrote. */
export interface Written {
  readonly id?: number;
  readonly method?: string;
  readonly params?: JsonObject;
  readonly result?: JsonObject;
  readonly error?: JsonObject;
}

/** A server on a duplex connection in this process that a test plays by hand. */
export interface ScriptedPeer {
  readonly transport: Transport;
  /** Everything that the client wrote, over all connections. */
  readonly written: readonly Written[];
  /** The exact texts. */
  readonly texts: readonly string[];
  /** Sends to the connection that was opened last. */
  send(message: unknown): void;
  sendText(text: string): void;
  answer(id: number | undefined, result: JsonObject): void;
  /** How often a connection was opened. */
  readonly opened: number;
}

export const discovery = {
  resultType: 'complete',
  supportedVersions: ['2026-07-28'],
  capabilities: { tools: {} },
  ttlMs: 0,
  cacheScope: 'private',
} as const;

/**
 * Creates one. `onMessage` sees each message; unless it answers `true`, `server/discover` gets an answer and everything
 * else waits for the test.
 */
export function createScriptedPeer(onMessage: (message: Written) => boolean | void = () => false): ScriptedPeer {
  const written: Written[] = [];
  const texts: string[] = [];
  let receive: ((text: string) => void) | undefined;
  const peer = {
    written,
    texts,
    opened: 0,
    send: (message: unknown) => peer.sendText(JSON.stringify(message)),
    sendText: (text: string) => receive?.(text),
    answer: (id: number | undefined, result: JsonObject) => peer.send({ jsonrpc: '2.0', id, result }),
    transport: {
      name: 'scripted',
      open({ context, handlers }) {
        peer.opened += 1;
        const duplex = createDuplexConnection({
          context,
          handlers,
          close: () => Promise.resolve(),
          write(text) {
            const message = JSON.parse(text) as Written;
            texts.push(text);
            written.push(message);
            if (onMessage(message) !== true && message.method === 'server/discover') peer.answer(message.id, discovery);
            return Promise.resolve();
          },
        });
        receive = (text) => duplex.receive(text);
        return Promise.resolve(duplex.connection);
      },
    } satisfies Transport,
  };
  return peer;
}

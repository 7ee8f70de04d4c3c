import type { JsonObject } from '@switchyard/protocol';
import { createChannel, type Transport } from '../src/index.ts';

/** A message that the client wrote. */
export interface Written {
  readonly id?: number;
  readonly method?: string;
  readonly params?: JsonObject;
  readonly result?: JsonObject;
  readonly error?: JsonObject;
}

/** A server on a channel in this process that a test plays by hand. */
export interface ScriptedChannel {
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
 * Creates one. `onMessage` sees each message; unless it answers `true`, `server/discover` gets an answer and everything else
 * waits for the test.
 */
export function createScriptedChannel(onMessage: (message: Written) => boolean | void = () => false): ScriptedChannel {
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
        const channel = createChannel({
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
        receive = (text) => channel.receive(text);
        return Promise.resolve(channel.connection);
      },
    } satisfies Transport,
  };
  return peer;
}

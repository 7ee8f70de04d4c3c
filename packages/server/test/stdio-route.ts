import { PassThrough } from 'node:stream';

import type { Server } from '@switchyard/server';
import { serveStdio, type ServeStdioOptions } from '@switchyard/server/node';

import type { Received } from './wire.ts';

/** A server on a pair of streams in this process. */
export interface StdioRoute {
  /** What the server wrote, as text. */
  readonly text: () => string;
  /** The messages that the server wrote so far. */
  readonly messages: () => Received[];
  write(bytes: string | Uint8Array): void;
  send(message: object): void;
  /** Waits for the first message, old or new, that fits. */
  seen(fits: (message: Received) => boolean): Promise<Received>;
  /** Ends the input and waits until the server is done. */
  end(): Promise<void>;
}

/** Serves over a pair of streams. Its test ends it. */
export async function openStdio(server: Server, options: ServeStdioOptions = {}): Promise<StdioRoute> {
  const input = new PassThrough();
  const output = new PassThrough();
  let text = '';
  const waiting = new Set<() => void>();
  output.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
    for (const look of waiting) look();
  });
  const served = await serveStdio(server, { input, output, ...options });
  const messages = (): Received[] =>
    text
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Received);
  return {
    text: () => text,
    messages,
    write: (bytes) => void input.write(bytes),
    send: (message) => void input.write(`${JSON.stringify(message)}\n`),
    seen: (fits) =>
      new Promise((resolve) => {
        const look = (): void => {
          const found = messages().find(fits);
          if (found === undefined) return;
          waiting.delete(look);
          resolve(found);
        };
        waiting.add(look);
        look();
      }),
    async end() {
      input.end();
      await served.closed;
    },
  };
}

import { createServer, type Server, type ServerOptions, silentLogger } from '@switchyard/server';
import { expect, onTestFinished } from 'vitest';

import { headersOf, openNodeRoute } from '../http-route.ts';
import { type Received, requestOf } from '../wire.ts';

export const subscriptionId = 'io.modelcontextprotocol/subscriptionId';

/** Makes a server with the tool `t` and the resource `test://r`. */
export function createListened(options: ServerOptions = {}): Server {
  return createServer({ name: 'listened', version: '1.0.0' }, { logger: silentLogger, ...options })
    .tool('t', {}, () => '')
    .resource('test://r', { name: 'r' }, () => 'r');
}

/** A subscription, as its client sees it. */
export interface Subscription {
  readonly messages: Received[];
  /** Waits for so many messages. */
  seen(count: number): Promise<Received[]>;
  /** Waits for the response, or the end of the stream. */
  ended(): Promise<void>;
  cancel(): void;
}

/** Listens over HTTP. */
export async function listenHttp(url: URL, notifications: object, id: string | number = 'w7'): Promise<Subscription> {
  const message = requestOf('subscriptions/listen', { notifications }, { id });
  const aborter = new AbortController();
  onTestFinished(() => aborter.abort());
  const response = await fetch(url, {
    method: 'POST',
    headers: headersOf(message),
    body: JSON.stringify(message),
    signal: aborter.signal,
  });
  const messages: Received[] = [];
  // A stream that is broken off, by whichever side, has ended for its reader.
  const reading = (async () => {
    let rest = '';
    for await (const chunk of (response.body ?? new ReadableStream()).pipeThrough(new TextDecoderStream())) {
      const events = (rest + chunk).split('\n\n');
      rest = events.pop() ?? '';
      for (const event of events) {
        const data = event.split('\n').find((line) => line.startsWith('data: '));
        if (data !== undefined) messages.push(JSON.parse(data.slice(6)) as Received);
      }
    }
    if (rest.startsWith('{')) messages.push(JSON.parse(rest) as Received);
  })().catch(() => undefined);
  return {
    messages,
    async seen(count) {
      await expect.poll(() => messages.length, { interval: 2 }).toBeGreaterThanOrEqual(count);
      return messages;
    },
    ended: () => reading,
    cancel: () => aborter.abort(),
  };
}

export async function openHttp(server: Server): Promise<URL> {
  return (await openNodeRoute(server)).url;
}

/** The filter that asks for every change of such a server. */
export const allChanges = {
  toolsListChanged: true,
  promptsListChanged: true,
  resourcesListChanged: true,
  resourceSubscriptions: ['test://r'],
};

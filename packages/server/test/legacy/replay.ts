import { createServer, legacyClients, type Server, silentLogger } from '@switchyard/server';
import { createResponder } from '@switchyard/server/endpoint';

import { openStdio } from '../stdio-route.ts';
import type { Received } from '../wire.ts';
import { type LegacyPeer, openLegacy, routeTo } from './legacy-route.ts';

/** One line of a transcript after its head: a message of the client, or of the server. */
export type Line = { readonly client: object } | { readonly server: object };

/** A way to the server: takes a message of the client, and answers the next one of the server. */
export interface Replay {
  send(message: object): Promise<void>;
  receive(): Promise<Received>;
  close(): Promise<void>;
}

const numbers = {
  type: 'object',
  properties: { a: { type: 'number' }, b: { type: 'number' } },
  required: ['a', 'b'],
} as const;
const form = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } as const;

/** The server of all transcripts. */
export function createTranscriptServer(): Server {
  return createServer({ name: 'transcript', version: '1.0.0' }, { logger: silentLogger })
    .tool('add', { description: 'Adds two numbers', input: numbers }, ({ a, b }, ctx) => {
      ctx.progress(1, 1);
      return { sum: Number(a) + Number(b) };
    })
    .tool('numbers', { description: 'Gives a list', output: { type: 'array' } }, () => [1, 2])
    .tool('hear', { description: 'Gives a sound' }, () => ({
      content: [{ type: 'audio', data: 'AAAA', mimeType: 'audio/wav' }],
    }))
    .tool('ask', { description: 'Asks who it is' }, async (_args, ctx) => {
      const answer = await ctx.elicit('name', { message: 'Who are you?', schema: form });
      return answer.action === 'accept' ? `Hello, ${String(answer.content['name'])}!` : answer.action;
    })
    .tool('folders', { description: 'Asks for folders' }, async (_args, ctx) => {
      const roots = await ctx.roots('folders');
      return roots.map(({ uri }) => uri).join(' ');
    })
    .resource('mem://one', { name: 'one' }, () => 'one');
}

/** Messages in the order in which they came. */
function createQueue(): { push(message: Received): void; shift(): Promise<Received> } {
  const held: Received[] = [];
  const waiting: ((message: Received) => void)[] = [];
  return {
    push(message) {
      const next = waiting.shift();
      if (next === undefined) held.push(message);
      else next(message);
    },
    shift: () =>
      new Promise((resolve) => {
        const next = held.shift();
        if (next === undefined) waiting.push(resolve);
        else resolve(next);
      }),
  };
}

/** The ways in which every transcript is replayed. */
export const replays: readonly [name: string, open: () => Promise<Replay>][] = [
  ['stdio', openStdioReplay],
  ['HTTP', openHttpReplay],
  ['memory', () => Promise.resolve(openMemoryReplay())],
];

async function openStdioReplay(): Promise<Replay> {
  const route = await openStdio(createTranscriptServer());
  let taken = 0;
  return {
    send(message) {
      route.send(message);
      return Promise.resolve();
    },
    async receive() {
      const index = taken;
      taken += 1;
      await route.seen(() => route.messages().length > index);
      return route.messages()[index] as Received;
    },
    close: () => route.end(),
  };
}

async function openHttpReplay(): Promise<Replay> {
  const route = await openLegacy(createTranscriptServer());
  const queue = createQueue();
  let peer: Pick<LegacyPeer, 'post'> = route;
  return {
    async send(message) {
      const answer = await peer.post(message);
      const id = answer.headers.get('mcp-session-id');
      const { post } = routeTo(route.url);
      if (id !== null) peer = { post: (next) => post(next, { headers: { 'mcp-session-id': id } }) };
      if (answer.status === 202) return;
      if (answer.headers.get('content-type') === 'application/json') return queue.push(await answer.json());
      const events = answer.events();
      const read = async (): Promise<void> => {
        for (let next = await events.message(); next !== undefined; next = await events.message()) queue.push(next);
      };
      void read();
    },
    receive: () => queue.shift(),
    close: () => Promise.resolve(),
  };
}

function openMemoryReplay(): Replay {
  const responder = createResponder(createTranscriptServer().endpoint(), { legacy: legacyClients() });
  const queue = createQueue();
  const { signal } = new AbortController();
  return {
    send(message) {
      const send = (text: string): void => queue.push(JSON.parse(text) as Received);
      void responder.respond(JSON.stringify(message), { signal, send }).then((text) => {
        if (text !== undefined) send(text);
      });
      return Promise.resolve();
    },
    receive: () => queue.shift(),
    close() {
      responder[Symbol.dispose]();
      return Promise.resolve();
    },
  };
}

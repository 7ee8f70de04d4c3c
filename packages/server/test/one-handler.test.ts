import { createServer, type Server, silentLogger } from '@switchyard/server';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { eventsOf, openNodeRoute, postOf } from './http-route.ts';
import { openMemory } from './memory-route.ts';
import { openStdio } from './stdio-route.ts';
import { metaOf, type Received, requestOf } from './wire.ts';

/** A server whose tool asks twice, once for two things together, and reports progress at its end. */
function create(): { readonly server: Server; readonly stepped: () => number } {
  let stepped = 0;
  const server = createServer({ name: 'one-handler', version: '1.0.0' }, { logger: silentLogger }).tool(
    'plan',
    { description: 'Plans a trip', input: z.object({ to: z.string() }) },
    async ({ to }, ctx) => {
      const routes = await ctx.step('routes', () => [`${to} by rail`, `${to} by road ${(stepped += 1)}`]);
      const choice = await ctx.elicit('choice', {
        message: `Which way to ${to}?`,
        schema: z.object({ way: z.enum(['rail', 'road']) }),
      });
      if (choice.action !== 'accept') return `No trip to ${to}`;
      const [advice, folders] = await Promise.all([
        ctx.sample('advice', {
          messages: [{ role: 'user', content: { type: 'text', text: `Advice for ${choice.content.way}` } }],
          maxTokens: 50,
        }),
        ctx.roots('folders'),
      ]);
      ctx.progress(1, 2, 'asked');
      const block = Array.isArray(advice.content) ? advice.content[0] : advice.content;
      return { routes, way: choice.content.way, advice: block?.type === 'text' ? block.text : '', folders };
    },
  );
  return { server, stepped: () => stepped };
}

/** What was said between a client and the handler, whatever carried it. */
interface Transcript {
  readonly asked: readonly Asked[];
  readonly progress: readonly unknown[];
  readonly content: unknown;
  readonly structuredContent: unknown;
}

const answers: { readonly [method: string]: object } = {
  'elicitation/create': { action: 'accept', content: { way: 'rail' } },
  'sampling/createMessage': { role: 'assistant', content: { type: 'text', text: 'Take a seat' }, model: 'm' },
  'roots/list': { roots: [{ uri: 'file:///work', name: 'work' }] },
};
const capabilities = { elicitation: {}, sampling: {}, roots: {} };

interface Asked {
  readonly method: string;
  readonly params?: object;
}

/** Sends one request and answers the notifications before its response, and the response. */
type Exchange = (message: ReturnType<typeof requestOf>) => Promise<readonly Received[]>;

/** Has the conversation in rounds, as this revision does. */
async function inRounds(exchange: Exchange): Promise<Transcript> {
  const asked: Asked[] = [];
  const progress: unknown[] = [];
  let retry: object = {};
  for (let id = 1; ; id += 1) {
    const meta = metaOf({ 'io.modelcontextprotocol/clientCapabilities': capabilities, progressToken: 'p' });
    const message = requestOf('tools/call', { name: 'plan', arguments: { to: 'Bern' }, ...retry }, { id, meta });
    const messages = await exchange(message);
    const result = messages.at(-1)?.result;
    progress.push(...messages.slice(0, -1).map(({ params }) => params));
    if (result?.['resultType'] !== 'input_required')
      return { asked, progress, content: result?.['content'], structuredContent: result?.['structuredContent'] };
    const requests = Object.entries(result['inputRequests'] as { readonly [key: string]: Asked });
    asked.push(...requests.map(([, request]) => request));
    const inputResponses = Object.fromEntries(requests.map(([key, { method }]) => [key, answers[method]]));
    retry = { inputResponses, requestState: result['requestState'] };
  }
}

/** Has it with a session of 2025-11-25 over stdio, which asks by requests of its own. */
async function inSession(server: Server): Promise<Transcript> {
  const route = await openStdio(server);
  const send = (message: object): void => route.send({ jsonrpc: '2.0', ...message });
  const params = { protocolVersion: '2025-11-25', capabilities, clientInfo: { name: 'old', version: '1' } };
  send({ id: 0, method: 'initialize', params });
  await route.seen(({ id }) => id === 0);
  send({ method: 'notifications/initialized' });
  send({
    id: 'call',
    method: 'tools/call',
    params: { name: 'plan', arguments: { to: 'Bern' }, _meta: { progressToken: 'p' } },
  });
  const asked: Asked[] = [];
  const answered = new Set<unknown>();
  while (answered.size < 3) {
    const isNew = ({ id, method }: Received): boolean => id !== undefined && method !== undefined && !answered.has(id);
    const { id, method = '', params: requested = {} } = await route.seen(isNew);
    answered.add(id);
    asked.push({ method, params: requested });
    send({ id, result: answers[method] });
  }
  const { result } = await route.seen(({ id }) => id === 'call');
  const progress = route
    .messages()
    .filter(({ method }) => method === 'notifications/progress')
    .map((message) => message.params);
  await route.end();
  return { asked, progress, content: result?.['content'], structuredContent: result?.['structuredContent'] };
}

const routes: readonly (readonly [string, (server: Server) => Promise<Transcript>])[] = [
  [
    'in memory',
    (server) => {
      const memory = openMemory(server);
      return inRounds(async (message) => {
        const before = memory.notifications.length;
        const response = await memory.send(message);
        return [...memory.notifications.slice(before), response as Received];
      });
    },
  ],
  [
    'over stdio',
    async (server) => {
      const route = await openStdio(server);
      let seen = 0;
      const transcript = await inRounds(async (message) => {
        route.send(message);
        await route.seen(({ id }) => id === message.id);
        const messages = route.messages().slice(seen);
        seen += messages.length;
        return messages;
      });
      await route.end();
      return transcript;
    },
  ],
  [
    'over HTTP',
    async (server) => {
      const route = await openNodeRoute(server);
      return inRounds(async (message) => {
        const { headers, text } = await route.call(postOf(message));
        return headers['content-type'] === 'text/event-stream' ? eventsOf(text) : [JSON.parse(text) as Received];
      });
    },
  ],
  ['to a client of 2025-11-25', inSession],
];

describe('a handler written once', () => {
  it.each(routes)('has the same conversation %s', async (_route, converse) => {
    const { server, stepped } = create();
    const { asked, ...rest } = await converse(server);
    expect(asked.map(({ method }) => method)).toEqual(['elicitation/create', 'sampling/createMessage', 'roots/list']);
    expect(asked[0]?.params).toMatchObject({
      message: 'Which way to Bern?',
      requestedSchema: { type: 'object', properties: { way: { type: 'string', enum: ['rail', 'road'] } } },
    });
    expect(asked[1]?.params).toMatchObject({ maxTokens: 50 });
    const structuredContent = {
      routes: ['Bern by rail', 'Bern by road 1'],
      way: 'rail',
      advice: 'Take a seat',
      folders: [{ uri: 'file:///work', name: 'work' }],
    };
    expect(rest).toEqual({
      progress: [{ progressToken: 'p', progress: 1, total: 2, message: 'asked' }],
      content: [{ type: 'text', text: JSON.stringify(structuredContent) }],
      structuredContent,
    });
    expect(stepped()).toBe(1);
  });
});

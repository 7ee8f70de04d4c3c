import { legacyClients, type Principal, type Server } from '@switchyard/server';
import { createResponder } from '@switchyard/server/endpoint';
import { describe, expect, it } from 'vitest';

import { until } from '../turns.ts';
import type { Received } from '../wire.ts';
import { initializeOf, legacyRequest } from './legacy-route.ts';
import { createLegacyServer } from './legacy-server.ts';

/** An old client in memory, whose session is open. */
async function open(server: Server): Promise<{
  readonly responder: Disposable;
  /** Sends a message and answers the last that came for it. */
  send(message: object, principal?: Principal): Promise<Received | undefined>;
}> {
  const responder = createResponder(server.endpoint(), { legacy: legacyClients() });
  const { signal } = new AbortController();
  const send = async (message: object, principal?: Principal): Promise<Received | undefined> => {
    const sent: string[] = [];
    const exchange = { signal, send: (text: string) => void sent.push(text), ...(principal && { principal }) };
    const text = (await responder.respond(JSON.stringify(message), exchange)) ?? sent.at(-1);
    return text === undefined ? undefined : (JSON.parse(text) as Received);
  };
  await send(initializeOf('2025-11-25'));
  return { responder, send };
}

describe('an old client in memory', () => {
  it('is, for each request, the caller of its exchange', async () => {
    const { send } = await open(createLegacyServer().server);
    const answerTo = (principal?: Principal): Promise<Received | undefined> =>
      send(legacyRequest('tools/call', { name: 'who' }), principal);
    const saying = (subject: string): object => ({
      result: { content: [{ text: expect.stringContaining(`"subject":${subject}`) as unknown }] },
    });
    expect(await answerTo({ subject: 'ann' })).toMatchObject(saying('"ann"'));
    expect(await answerTo()).toMatchObject(saying('null'));
  });

  it('has what runs for it cancelled when its responder is disposed of', async () => {
    const { server, traces } = createLegacyServer();
    const { responder, send } = await open(server);
    const pending = send(legacyRequest('tools/call', { name: 'wait' }));
    await until(() => traces.runs === 1);
    responder[Symbol.dispose]();
    await pending;
    await until(() => traces.reasons.length === 1);
    expect(traces.reasons).toEqual(['the connection was closed']);
  });
});

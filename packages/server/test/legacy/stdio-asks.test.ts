import { createServer, formQuestion, inputRequired, legacyClients, silentLogger } from '@switchyard/server';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { openStdio } from '../stdio-route.ts';
import { initializeOf, legacyRequest, notificationOf } from './legacy-route.ts';
import { createLegacyServer } from './legacy-server.ts';
import { answerTo, askOf, initialized, open } from './stdio-client.ts';

describe('asks over stdio', () => {
  it('[LEGS-20] are requests of the server, while the handler runs once', async () => {
    const route = await initialized('2025-11-25', { elicitation: {} });
    route.send(legacyRequest('tools/call', { name: 'ask' }, 1));
    const ask = await askOf(route, 'elicitation/create');
    expect(ask.params).toMatchObject({
      mode: 'form',
      message: 'Who are you?',
      requestedSchema: { required: ['name'] },
    });
    route.send({ jsonrpc: '2.0', id: ask.id, result: { action: 'accept', content: { name: 'Ada' } } });
    expect((await answerTo(route, 1)).result).toMatchObject({ content: [{ text: 'Hello, Ada!' }] });
    expect(route.traces).toMatchObject({ runs: 1, cleaned: ['ask'] });
    await route.end();
  });

  it('[LEGS-20] [sampling-01] end at once where the client did not declare them, and run what `finally` holds', async () => {
    const route = await initialized();
    route.send(legacyRequest('tools/call', { name: 'ask' }, 1));
    expect((await answerTo(route, 1)).error).toMatchObject({
      code: -32600,
      data: { requiredCapabilities: { elicitation: { form: {} } } },
    });
    expect(route.traces.cleaned).toEqual(['ask']);
    expect(route.messages().some(({ method }) => method === 'elicitation/create')).toBe(false);
    await route.end();
  });

  it('[LEGS-03] wait until the client says that it is initialized', async () => {
    const route = await open();
    route.send(initializeOf('2025-11-25', { roots: {} }));
    route.send(legacyRequest('tools/call', { name: 'roots' }, 1));
    route.send(legacyRequest('ping', {}, 2));
    await answerTo(route, 2);
    expect(route.messages().some(({ method }) => method === 'roots/list')).toBe(false);
    route.send(notificationOf('notifications/initialized'));
    const ask = await askOf(route, 'roots/list');
    route.send({ jsonrpc: '2.0', id: ask.id, result: { roots: [{ uri: 'file:///a' }] } });
    expect((await answerTo(route, 1)).result).toMatchObject({ content: [{ text: 'file:///a' }] });
    await route.end();
  });

  it.each([
    ['a decline', { action: 'decline' }, 'decline'],
    ['a cancel with null for content', { action: 'cancel', content: null }, 'cancel'],
    ['a decline with junk for content', { action: 'decline', content: { name: 7 } }, 'decline'],
  ])('[elicit-01] take %s for what it is', async (_name, result, text) => {
    const route = await initialized('2025-11-25', { elicitation: {} });
    route.send(legacyRequest('tools/call', { name: 'ask' }, 1));
    route.send({ jsonrpc: '2.0', id: (await askOf(route, 'elicitation/create')).id, result });
    expect((await answerTo(route, 1)).result).toMatchObject({ content: [{ text }] });
    await route.end();
  });

  it.each([
    ['content that breaks the schema', { result: { action: 'accept', content: { name: 7 } } }],
    ['no content', { result: { action: 'accept' } }],
    ['an action that is none', { result: { action: 'reject' } }],
    ['an error', { error: { code: -1, message: 'the user said no' } }],
  ])('[elicit-01] fail the tool for %s', async (_name, answer) => {
    const route = await initialized('2025-11-25', { elicitation: {} });
    route.send(legacyRequest('tools/call', { name: 'ask' }, 1));
    route.send({ jsonrpc: '2.0', id: (await askOf(route, 'elicitation/create')).id, ...answer });
    expect((await answerTo(route, 1)).result).toMatchObject({ isError: true });
    expect(route.traces.cleaned).toEqual(['ask']);
    await route.end();
  });

  it('fail the tool for an error to one of those that it returned, too', async () => {
    const server = createServer({ name: 'by-hand', version: '1.0.0' }, { logger: silentLogger }).tool('ask', {}, () =>
      inputRequired({ requests: { who: formQuestion({ message: 'Who?', schema: z.object({ name: z.string() }) }) } }),
    );
    const route = await openStdio(server);
    route.send(initializeOf('2025-11-25', { elicitation: {} }));
    route.send(notificationOf('notifications/initialized'));
    route.send(legacyRequest('tools/call', { name: 'ask' }, 1));
    const { id } = await askOf(route, 'elicitation/create');
    route.send({ jsonrpc: '2.0', id, error: { code: -1, message: 'the user said no' } });
    expect((await answerTo(route, 1)).result).toMatchObject({ isError: true });
    await route.end();
  });

  it('are told of their end when the request that asks is cancelled', async () => {
    const route = await initialized('2025-11-25', { elicitation: {} });
    route.send(legacyRequest('tools/call', { name: 'ask' }, 1));
    const ask = await askOf(route, 'elicitation/create');
    route.send(notificationOf('notifications/cancelled', { requestId: 1 }));
    expect((await askOf(route, 'notifications/cancelled')).params).toMatchObject({ requestId: ask.id });
    route.send({ jsonrpc: '2.0', id: ask.id, result: { action: 'decline' } });
    await route.end();
    expect(route.traces.cleaned).toEqual(['ask']);
    expect(route.messages().some(({ id, method }) => id === 1 && method === undefined)).toBe(false);
  });

  it('[CAN-15] end after their time, and the client is told', async () => {
    const { server, traces } = createLegacyServer();
    const route = await openStdio(server, { legacy: legacyClients({ askTimeoutMs: 1 }) });
    route.send(initializeOf('2025-11-25', { elicitation: {} }));
    route.send(notificationOf('notifications/initialized'));
    route.send(legacyRequest('tools/call', { name: 'ask' }, 1));
    expect((await answerTo(route, 1)).result).toMatchObject({ isError: true });
    expect(traces.cleaned).toEqual(['ask']);
    const ask = await askOf(route, 'elicitation/create');
    expect((await askOf(route, 'notifications/cancelled')).params).toMatchObject({ requestId: ask.id });
    await route.end();
  });

  it('[LEGB-01] may lose a race against something else, and are withdrawn then', async () => {
    const { promise: other, resolve: win } = Promise.withResolvers<string>();
    const { server } = createLegacyServer();
    server.tool('impatient', {}, async (_args, ctx) => Promise.race([ctx.roots('folders').then(String), other]));
    const route = await openStdio(server);
    route.send(initializeOf('2025-11-25', { roots: {} }));
    route.send(notificationOf('notifications/initialized'));
    route.send(legacyRequest('tools/call', { name: 'impatient' }, 1));
    const ask = await askOf(route, 'roots/list');
    win('first');
    expect((await answerTo(route, 1)).result).toMatchObject({ content: [{ text: 'first' }] });
    expect((await askOf(route, 'notifications/cancelled')).params).toMatchObject({ requestId: ask.id });
    await route.end();
  });

  it('are not answered by what nobody asked, which is logged', async () => {
    const lines: string[] = [];
    const logger = { ...silentLogger, info: (_fields: object, message: string) => void lines.push(message) };
    const { server } = createLegacyServer({ logger });
    const route = await openStdio(server);
    route.send(initializeOf('2025-11-25', { elicitation: {} }));
    route.send({ jsonrpc: '2.0', id: 'ask-1', result: { action: 'accept' } });
    route.send({ jsonrpc: '2.0', id: null, error: { code: -32700, message: 'what?' } });
    route.send(legacyRequest('ping', {}, 2));
    await answerTo(route, 2);
    expect(lines.filter((line) => line.includes('answered what nobody asks'))).toHaveLength(2);
    await route.end();
  });

  it('end when the input does', async () => {
    const { server, traces } = createLegacyServer();
    const route = await openStdio(server, { graceMs: 0 });
    route.send(initializeOf('2025-11-25', { elicitation: {} }));
    route.send(notificationOf('notifications/initialized'));
    route.send(legacyRequest('tools/call', { name: 'ask' }, 1));
    await askOf(route, 'elicitation/create');
    await route.end();
    expect(traces.cleaned).toEqual(['ask']);
  });
});

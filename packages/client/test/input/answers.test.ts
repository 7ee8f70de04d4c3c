import { describe, expect, it } from 'vitest';
import type { InputHandlers } from '../../src/index.ts';
import { failure } from '../expect-failure.ts';
import { settle } from '../manual-clock.ts';
import { answersIn, asks, done, form, responsesOf, serveAsking, serveLegacy, warnings } from './asking-peer.ts';

const tags = form({ tags: { type: 'array', items: { type: 'string', enum: ['x', 'y'] } } });

/** A modern server that asks for a form once, answered by `elicitForm`. */
const serveForm = (elicitForm: () => unknown, more: InputHandlers = {}) =>
  serveAsking((_message, round) => (round > 1 ? done : asks({ a: tags })), {
    ...more,
    elicitForm: () => elicitForm() as never,
  });

const thrown: readonly [string, unknown][] = [
  ['nothing', undefined],
  ['an object without a prototype', Object.create(null)],
  [
    'an object that cannot be read',
    {
      toString() {
        throw new Error('no');
      },
    },
  ],
];

describe('a handler that throws', () => {
  it.each(thrown)('%s ends the call with an error that names the server', async (_, error) => {
    const { client } = await serveForm(() => Promise.reject(error));
    expect(await failure(client.callTool('moor'))).toMatchObject({ code: 'input-refused', server: 'depot' });
  });

  it.each(thrown)('%s leaves no legacy server without an answer', async (_, error) => {
    const { peer } = await serveLegacy({ elicitForm: () => Promise.reject(error) });
    peer.send({ jsonrpc: '2.0', id: 1, ...tags });
    await settle();
    expect(answersIn(peer)).toMatchObject([{ id: 1, error: { code: -32603 } }]);
    expect(warnings.map(({ message }) => message.match(/MCP server "depot": /g)?.length)).toEqual([1]);
  });
});

describe('an answer of a handler', () => {
  const hidden = (items: string[], toJSON: () => unknown): string[] => Object.assign(items, { toJSON });

  it('is checked as it would be sent, whatever it makes of itself', async () => {
    const { client, requests } = await serveForm(() => ({
      action: 'accept',
      content: { tags: hidden(['x'], () => ({ secret: 1 })) },
    }));
    expect((await failure(client.callTool('moor'))).code).toBe('invalid-argument');
    expect(requests()).toHaveLength(1);
  });

  it('is sent as it was checked, whatever becomes of it afterwards', async () => {
    let count = 0;
    const kept = hidden(['x'], () => ((count += 1) > 1 ? ['y', 'z'] : ['x']));
    const content = { tags: kept };
    const served = await serveForm(() => ({ action: 'accept', content }), {
      review(_ask, answer) {
        queueMicrotask(() => {
          kept.push('z');
          content.tags = ['z'];
        });
        return Promise.resolve(answer as never);
      },
    });
    await served.client.callTool('moor');
    expect(responsesOf(served, 1)).toEqual({ a: { action: 'accept', content: { tags: ['x'] } } });
  });

  it('is checked like that when a review gives another one, too', async () => {
    const { client, requests } = await serveForm(() => ({ action: 'accept', content: { tags: ['x'] } }), {
      review: () => Promise.resolve({ action: 'accept', content: { tags: hidden(['x'], () => ['z']) } }),
    });
    expect((await failure(client.callTool('moor'))).code).toBe('invalid-argument');
    expect(requests()).toHaveLength(1);
  });

  it('that cannot be read ends the call', async () => {
    const { client } = await serveForm(() => ({
      action: 'accept',
      get content() {
        throw new Error('late');
      },
    }));
    expect((await failure(client.callTool('moor'))).code).toBe('input-refused');
  });
});

describe('the key of a question', () => {
  it.each(['list\u200b', ' list ', 'k'.repeat(300), 'api_key=abcdefghijklmnop1234'])(
    'comes as the server wrote it: %j',
    async (key) => {
      const keys: string[] = [];
      const { client } = await serveAsking((_message, round) => (round > 1 ? done : asks({ [key]: tags })), {
        elicitForm(ask) {
          keys.push(ask.key);
          return Promise.resolve({ action: 'decline' });
        },
      });
      await client.callTool('moor');
      expect(keys).toEqual([key]);
    },
  );
});

describe('a legacy server that asks without end', () => {
  it('[LEGC-12] gets an error for each question beyond a hundred, and an answer to ping', async () => {
    const { peer } = await serveLegacy({ elicitForm: () => new Promise(() => undefined) });
    for (let id = 1; id <= 103; id += 1) peer.send({ jsonrpc: '2.0', id, ...tags });
    peer.send({ jsonrpc: '2.0', id: 'ping', method: 'ping' });
    await settle();
    expect(answersIn(peer)).toMatchObject([
      { id: 101, error: { code: -1 } },
      { id: 102, error: { code: -1 } },
      { id: 103, error: { code: -1 } },
      { id: 'ping', result: {} },
    ]);
    expect(warnings.filter(({ code }) => code === 'unexpected-request')).toHaveLength(3);
    expect(warnings[0]?.message).toMatch(/more than 100 questions/);
  });
});

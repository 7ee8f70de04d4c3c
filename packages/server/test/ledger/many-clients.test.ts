import { createServer, silentLogger } from '@switchyard/server';
import { expect, it } from 'vitest';

import { headersOf } from '../http-route.ts';
import { type LegacyPeer, openLegacy, type LegacyRoute } from '../legacy/legacy-route.ts';
import { callOf } from '../wire.ts';

/** The text that a modern client gets from the tool. */
async function callModern(route: LegacyRoute, tag: string): Promise<unknown> {
  const message = callOf('echo', { tag }, { id: 0 });
  return (await (await route.post(message, { headers: headersOf(message) })).json()).result?.['content'];
}

/** The text that a client with a session gets from the tool. */
async function callLegacy(peer: LegacyPeer, tag: string): Promise<unknown> {
  return (await peer.request('tools/call', { name: 'echo', arguments: { tag } }, 0)).result?.['content'];
}

const text = (tag: string): readonly object[] => [{ type: 'text', text: tag }];

it('[gateway-04] one server serves modern and legacy clients at once, and the end of one ends no other', async () => {
  const input = { type: 'object', properties: { tag: { type: 'string' } }, required: ['tag'] };
  const server = createServer({ name: 'shared', version: '1.0.0' }, { logger: silentLogger }).tool(
    'echo',
    { input },
    ({ tag }) => String(tag),
  );
  const route = await openLegacy(server);
  const [one, other, second] = [await route.open(), await route.open('2025-03-26'), await route.open()];
  expect(new Set([one.id, other.id, second.id]).size).toBe(3);
  const ask = (): Promise<unknown[]> =>
    Promise.all([
      callModern(route, 'modern'),
      callLegacy(one, 'one'),
      callLegacy(other, 'other'),
      callLegacy(second, 'second'),
    ]);
  expect(await ask()).toEqual(['modern', 'one', 'other', 'second'].map(text));
  expect((await one.delete()).status).toBe(204);
  expect(await callLegacy(other, 'still')).toEqual(text('still'));
  const back = await route.open();
  expect(await Promise.all([callLegacy(back, 'back'), callLegacy(second, 'second'), callModern(route, 'm')])).toEqual(
    ['back', 'second', 'm'].map(text),
  );
});

import { serveHttp } from '@switchyard/server/node';
import { connectInMemory } from '@switchyard/testing';
import { expect, test } from 'vitest';

import { findSeats } from '../src/official-client.ts';
import { rooms } from '../src/plain-schema.ts';

test('a tool with a plain schema gets checked arguments with their defaults', async () => {
  await using client = await connectInMemory(rooms);
  expect((await client.callTool('find_seats', { room: 'blue' })).structuredContent).toEqual({
    room: 'blue',
    enough: true,
  });
  expect(await client.callTool('find_seats', { seats: 3 })).toMatchObject({ isError: true });
});

test('the official client reaches it as it comes', async () => {
  await using running = await serveHttp(rooms, { port: 0 });
  expect(await findSeats(running.url)).toEqual({ room: 'blue', enough: true });
});

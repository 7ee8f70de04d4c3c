import { createServer } from '@switchyard/server';
import { connectInMemory } from '@switchyard/testing';
import { expect, it } from 'vitest';
import * as z from 'zod';

import { handlersFor, type Person } from '../src/answering.ts';
import { trips } from '../src/trip.ts';

/** A person who answers each text by the first rule that it matches. */
function personWho(rules: readonly (readonly [RegExp, string])[], seen: string[] = []): Person {
  return (text) => {
    seen.push(text);
    return Promise.resolve(rules.find(([match]) => match.test(text))?.[1] ?? '');
  };
}

const never = (): Promise<void> => Promise.reject(new Error('nothing is opened'));

it.each(['2026-07-28', '2025-11-25'] as const)('books a seat as the person says, at %s', async (revision) => {
  const seen: string[] = [];
  const person = personWho(
    [
      [/^Send/, 'yes'],
      [/Which seat/, 'B7'],
      [/Pay/, 'yes'],
      [/receipt/, 'ada@mail.example'],
    ],
    seen,
  );
  const client = await connectInMemory(trips, {
    revision,
    input: { trust: 'reviewed', ...handlersFor(person, never) },
  });
  const { structuredContent } = await client.callTool('book_seat', { order: `o-${revision}`, to: 'Bern' });
  await client.close();
  expect(structuredContent).toMatchObject({ seat: 'B7', receipt: 'ada@mail.example' });
  expect(seen[0]).toMatch(/^trips \(reviewed\) asks.*Which seat to Bern\?/);
  expect(seen[1]).toBe('Send {"seat":"B7"} to trips? yes, no, or stop');
});

it.each(['no', 'stop'])('books nothing when the person says %s', async (word) => {
  const person = personWho([
    [/^Send/, word],
    [/Which seat/, 'A1'],
  ]);
  const client = await connectInMemory(trips, { input: handlersFor(person, never) });
  expect(await client.callTool('book_seat', { order: 'o-2', to: 'Bern' })).toMatchObject({
    content: [{ text: 'Nothing was booked.' }],
  });
  await client.close();
});

it.each([
  ['window, aisle', '["window","aisle"] 2'],
  ['window, roof', 'decline'],
  ['window, ', 'decline'],
])('takes what is listed alone, and declines for a person who types %j', async (line, expected) => {
  const hall = createServer({ name: 'hall', version: '1.0.0' });
  const schema = z.object({ places: z.array(z.enum(['window', 'aisle'])), count: z.int() });
  hall.tool('book', {}, async (_args, ctx) => {
    const answer = await ctx.elicit('places', { message: 'Which places?', schema });
    if (answer.action !== 'accept') return answer.action;
    return `${JSON.stringify(answer.content.places)} ${answer.content.count}`;
  });
  const person = personWho([
    [/^Send/, 'yes'],
    [/places.*one of/, line],
    [/count/, '2'],
  ]);
  const client = await connectInMemory(hall, { input: handlersFor(person, never) });
  expect(await client.callTool('book')).toMatchObject({ content: [{ text: expected }] });
  await client.close();
});

it('opens a page after consent alone, and shows its host first', async () => {
  const bank = createServer({ name: 'bank', version: '1.0.0' });
  bank.tool(
    'link',
    {},
    async (_args, ctx) => (await ctx.elicit('page', { message: 'Link it', url: 'https://bank.example/l' })).action,
  );
  const opened: string[] = [];
  const seen: string[] = [];
  for (const word of ['no', 'yes']) {
    const input = handlersFor(personWho([[/Open\?|Done/, word]], seen), (url) => {
      opened.push(url);
      return Promise.resolve();
    });
    const client = await connectInMemory(bank, { input });
    expect(await client.callTool('link')).toMatchObject({ content: [{ text: word === 'yes' ? 'accept' : 'decline' }] });
    await client.close();
  }
  expect(opened).toEqual(['https://bank.example/l']);
  expect(seen[0]).toContain('bank.example: https://bank.example/l');
});

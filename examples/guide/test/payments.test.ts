import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { type Server, silentLogger } from '@switchyard/server';
import { connectInMemory } from '@switchyard/testing';
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest';

import { openPayments, type Provider } from '../src/payments.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'payments-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function open(name: string, provider: Provider): Promise<Server> {
  const { server, close } = await openPayments(join(folder, name), provider);
  onTestFinished(close);
  return server;
}

async function call(server: Server, tool: string): Promise<{ readonly isError?: boolean; readonly text: string }> {
  await using client = await connectInMemory(server);
  const { isError, content } = await client.callTool(tool, { order: 'o-1' });
  return { ...(isError === undefined ? {} : { isError }), text: JSON.stringify(content) };
}

/** A provider, what it charged, and one whose process never comes back from charging. */
function createProviders(): {
  readonly charged: string[];
  readonly good: Provider;
  readonly dead: Provider;
  begun: Promise<void>;
} {
  const charged: string[] = [];
  const begun = Promise.withResolvers<void>();
  const find = async (order: string): Promise<string | undefined> => charged.find((payment) => payment.endsWith(order));
  const charge = async (order: string): Promise<string> => {
    charged.push(`payment ${charged.length + 1} for ${order}`);
    return charged.at(-1) ?? '';
  };
  const dead = {
    find,
    async charge(order: string) {
      await charge(order);
      begun.resolve();
      return new Promise<never>(() => undefined);
    },
  };
  return { charged, good: { find, charge }, dead, begun: begun.promise };
}

it('charges an order once, over instances that open one file', async () => {
  const { charged, good } = createProviders();
  const [one, two] = [await open('once.db', good), await open('once.db', good)];
  expect((await call(one, 'charge')).text).toContain('payment 1 for o-1');
  expect((await call(two, 'charge')).text).toContain('payment 1 for o-1');
  expect(charged).toHaveLength(1);
});

it.each([
  ['charge', { isError: true, text: expect.stringContaining('Nobody knows whether o-1 was charged') }],
  ['charge_or_find', { text: expect.stringContaining('payment 1 for o-1') }],
])('says after a death in the middle of %s what is known, and charges no second time', async (tool, told) => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const { charged, good, dead, begun } = createProviders();
  // What the dead process says of its store, which is closed under it, is not what is looked at.
  const dying = await openPayments(join(folder, `${tool}.db`), dead, { logger: silentLogger });
  // Its caller never hears of it.
  void call(dying.server, tool).catch(() => undefined);
  await begun;
  // From here on it gives no sign of life.
  await dying.close();
  const calling = call(await open(`${tool}.db`, good), tool);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(await calling).toEqual(told);
  expect(charged).toHaveLength(1);
});

import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import type { RecordStore } from '@switchyard/stores';
import { openRedisRecordStore } from '@switchyard/stores/redis';
import { describe, expect, it, onTestFinished } from 'vitest';
import { describeRecordStore } from './contracts/record-store.ts';
import type { RecordStoreUnderTest } from './contracts/record-store/record-stores.ts';
import { describeServerClock } from './contracts/server-clock.ts';
import { describeSharedRecordStore } from './contracts/shared-record-store.ts';
import { describeUnreachableServer } from './contracts/unreachable-server.ts';
import { redisUrl, useRedisPrefixes, withRedis } from './servers.ts';

const newPrefix = useRedisPrefixes();

const underTest: RecordStoreUnderTest = {
  open: (options, keyPrefix) => openRedisRecordStore({ ...options, url: redisUrl, keyPrefix }),
  newPlace: newPrefix,
  isShared: true,
};
describeRecordStore('in Redis', underTest);
describeSharedRecordStore('in Redis', underTest);
describeServerClock('in Redis', underTest);

describeUnreachableServer('in Redis', {
  url: redisUrl,
  open: (options) => openRedisRecordStore({ ...options, keyPrefix: newPrefix() }),
});

/** Starts a server that answers each command of a client with one text. */
async function startAnsweringServer(text: string): Promise<string> {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.on('data', () => socket.write(text));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return `redis://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function bulk(text: string): string {
  return `$${Buffer.byteLength(text)}\r\n${text}\r\n`;
}

describe('the record store in Redis', () => {
  async function open(options: Partial<Parameters<typeof openRedisRecordStore>[0]> = {}): Promise<RecordStore> {
    const store = await openRedisRecordStore({ url: redisUrl, keyPrefix: newPrefix(), ...options });
    onTestFinished(() => store.close());
    return store;
  }

  it('works after the server forgot its scripts', async () => {
    const store = await open();
    await store.put('key', 'value', { expected: undefined });
    await withRedis((client) => client.scriptFlush());
    expect(await store.get('key')).toMatchObject({ value: 'value' });
  });

  it('lists keys over more than one script when many have expired', async () => {
    let time = 1_700_000_000_000;
    const store = await open({ epochNow: () => time });
    await Promise.all(
      Array.from({ length: 2500 }, (_, index) =>
        store.put(`key ${String(index).padStart(4, '0')}`, '', {
          expected: undefined,
          ttlMs: index % 1200 === 1199 ? Infinity : 10,
        }),
      ),
    );
    time += 10;
    expect(await store.keys('key')).toEqual(['key 1199', 'key 2399']);
    expect(await store.keys('key', { limit: 1, after: 'key 1199' })).toEqual(['key 2399']);
  });

  it('leaves no key behind when its records are gone, and drops what has expired as it writes', async () => {
    const keyPrefix = newPrefix();
    let time = 1_700_000_000_000;
    const store = await open({ keyPrefix, epochNow: () => time });
    for (let index = 0; index < 20; index += 1)
      await store.put(`key ${index}`, 'x', { expected: undefined, ttlMs: 10 });
    time += 10;
    for (let index = 0; index < 3; index += 1) {
      await store.put('last', 'x', { expected: undefined });
      await store.delete('last');
    }
    await withRedis(async (client) => {
      const keys = await client.keys(`${keyPrefix}*`);
      expect(keys).toEqual([`${keyPrefix}{records}:chars`]);
      expect(await client.get(`${keyPrefix}{records}:chars`)).toBe('0');
    });
  });

  it('answers corrupt where another program has a key of the name', async () => {
    const keyPrefix = newPrefix();
    await withRedis((client) => client.set(`${keyPrefix}{records}:state`, 'a song'));
    const store = await open({ keyPrefix });
    await expect(store.get('key')).rejects.toMatchObject({ name: 'StoreError', code: 'corrupt' });
  });

  it.each([
    ['maxmemory:0', 'allkeys-lru', true],
    ['maxmemory:1000', 'noeviction', true],
    ['maxmemory:1000', 'volatile-lru', true],
    ['maxmemory:1000', 'allkeys-lru', false],
    ['maxmemory:1000', 'allkeys-random', false],
  ])('refuses a server that may evict records: %s, %s', async (memory, policy, isTaken) => {
    const url = await startAnsweringServer(bulk(`# Memory\r\n${memory}\r\nmaxmemory_policy:${policy}\r\n`));
    const opening = open({ url });
    if (isTaken) await expect(opening).resolves.toBeDefined();
    else await expect(opening).rejects.toMatchObject({ code: 'unavailable', message: expect.stringContaining(policy) });
  });

  it('believes a server that keeps its policy to itself', async () => {
    const url = await startAnsweringServer("-NOPERM this user has no permissions to run the 'info' command\r\n");
    await expect(open({ url })).resolves.toBeDefined();
  });

  it('answers too-large where the memory of the server is full', async () => {
    const url = await startAnsweringServer("-OOM command not allowed when used memory > 'maxmemory'.\r\n");
    await expect(open({ url })).rejects.toMatchObject({ name: 'StoreError', code: 'too-large' });
  });
});

import { inspect } from 'node:util';
import type { RecordStore } from '@switchyard/stores';
import { StoreError } from '@switchyard/stores';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startFlakyProxy } from '../flaky-proxy.ts';

/** How a store is opened in a server. */
export interface ServerStoreOptions {
  readonly url: string;
  readonly connectTimeoutMs: number;
  readonly commandTimeoutMs: number;
}

/** What the contract needs to know of an implementation. */
export interface ServerStoreUnderTest {
  /** The URL of the server. */
  readonly url: string;
  readonly open: (options: ServerStoreOptions) => Promise<RecordStore>;
}

// Long enough for what works, on a machine that does much else.
const TIMEOUTS = { connectTimeoutMs: 1000, commandTimeoutMs: 1000 };
const BOUND_MS = 10_000;

async function failureOf(call: Promise<unknown>): Promise<StoreError> {
  const started = performance.now();
  const [outcome] = await Promise.allSettled([call]);
  expect(performance.now() - started).toBeLessThan(BOUND_MS);
  if (outcome?.status !== 'rejected' || !(outcome.reason instanceof StoreError)) throw new Error('no StoreError');
  return outcome.reason;
}

/** The contract of a store in a server that fails: every such implementation runs it. */
export function describeUnreachableServer(implementation: string, { url, open }: ServerStoreUnderTest): void {
  describe(`a record store ${implementation} whose server fails`, () => {
    async function openOne(through: string): Promise<RecordStore> {
      const store = await open({ url: through, ...TIMEOUTS });
      onTestFinished(() => store.close());
      return store;
    }

    it('cannot be opened where nothing listens, and names the address', async () => {
      const proxy = await startFlakyProxy(url);
      proxy.stop();
      const failure = await failureOf(open({ url: proxy.url, ...TIMEOUTS }));
      expect(failure).toMatchObject({ code: 'unavailable', message: expect.stringContaining(new URL(proxy.url).host) });
      expect(failure.message).toMatch(/ECONNREFUSED/);
    });

    it('cannot be opened where the server accepts and never answers', async () => {
      const proxy = await startFlakyProxy(url);
      proxy.stall();
      expect(await failureOf(open({ url: proxy.url, ...TIMEOUTS }))).toMatchObject({ code: 'unavailable' });
    });

    it('fails every call while the server hangs, and works again by itself when it is back', async () => {
      const proxy = await startFlakyProxy(url);
      const store = await openOne(proxy.url);
      const version = await store.put('key', 'value', { expected: undefined });
      proxy.stall();
      const failures = await Promise.all([
        ...Array.from({ length: 30 }, () => failureOf(store.get('key'))),
        failureOf(store.put('key', 'late', { expected: version })),
        failureOf(store.delete('key')),
        failureOf(store.keys('')),
      ]);
      expect(new Set(failures.map(({ code }) => code))).toEqual(new Set(['unavailable']));
      await proxy.restart();
      expect(await store.get('key')).toEqual({ value: 'value', version });
    });

    it('finds the server again when only the connections that it had hang', async () => {
      const proxy = await startFlakyProxy(url);
      const store = await openOne(proxy.url);
      await store.put('key', 'value', { expected: undefined });
      proxy.freeze();
      expect(await failureOf(store.get('key'))).toMatchObject({ code: 'unavailable' });
      expect(await store.get('key')).toMatchObject({ value: 'value' });
    });

    it('fails while the server is down and works again by itself when it was started anew', async () => {
      const proxy = await startFlakyProxy(url);
      const store = await openOne(proxy.url);
      await store.put('key', 'value', { expected: undefined });
      proxy.stop();
      expect(await failureOf(store.get('key'))).toMatchObject({ code: 'unavailable' });
      await proxy.restart();
      expect(await store.get('key')).toMatchObject({ value: 'value' });
    });

    it('closes in bounded time while the server hangs, and settles the calls under way', async () => {
      const proxy = await startFlakyProxy(url);
      const store = await openOne(proxy.url);
      proxy.stall();
      const call = failureOf(store.get('key'));
      const started = performance.now();
      await store.close();
      expect(performance.now() - started).toBeLessThan(BOUND_MS);
      expect(['unavailable', 'closed']).toContain((await call).code);
    });

    it('shows no password in an error, nor in its cause', async () => {
      const { protocol } = new URL(url);
      const failure = await failureOf(
        open({ url: `${protocol}//user:hunter%32-secret@127.0.0.1:1/0?password=hunter2-secret`, ...TIMEOUTS }),
      );
      expect(failure.code).toBe('unavailable');
      expect(inspect(failure, { depth: 20, showHidden: true })).not.toMatch(/hunter|secret/);
    });
  });
}

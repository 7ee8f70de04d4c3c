import { StoreError } from '@switchyard/stores';
import { expect, it } from 'vitest';
import { storeError } from '../store-error.ts';
import { createRecord } from './record-stores.ts';
import type { RecordStores } from './record-stores.ts';

/** What becomes of calls when a store is closed. */
export function describeClosing(stores: RecordStores): void {
  it('refuses every call after it was closed, and may be closed twice', async () => {
    const store = await stores.open();
    const version = await createRecord(store, 'key');
    await store.close();
    await store.close();
    await store[Symbol.asyncDispose]();
    await expect(store.get('key')).rejects.toBeInstanceOf(StoreError);
    await expect(store.get('key')).rejects.toEqual(storeError('closed'));
    await expect(store.put('key', 'value', { expected: version })).rejects.toEqual(storeError('closed'));
    await expect(store.put('key', 'value', { expected: '' })).rejects.toEqual(storeError('closed'));
    await expect(store.delete('key')).rejects.toEqual(storeError('closed'));
    await expect(store.keys('')).rejects.toEqual(storeError('closed'));
    await expect(store.fullness?.()).rejects.toEqual(storeError('closed'));
  });

  it('settles every call that runs when it is closed', async () => {
    const store = await stores.open();
    const calls = Array.from({ length: 20 }, (_, index) => store.put(`key ${index}`, '1', { expected: undefined }));
    await store.close();
    for (const outcome of await Promise.allSettled(calls)) {
      if (outcome.status === 'rejected') expect(outcome.reason).toEqual(storeError('closed'));
      else expect(outcome.value).toBeDefined();
    }
  });
}

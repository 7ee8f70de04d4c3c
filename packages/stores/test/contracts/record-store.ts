import { describe } from 'vitest';
import { describeAnyOrder } from './record-store/any-order.ts';
import { describeCallers } from './record-store/callers.ts';
import { describeChanges } from './record-store/changes.ts';
import { describeClosing } from './record-store/closing.ts';
import { describeExpiry } from './record-store/expiry.ts';
import { describeKeys } from './record-store/keys.ts';
import { describeLimits } from './record-store/limits.ts';
import { useRecordStores } from './record-store/record-stores.ts';
import type { RecordStoreUnderTest } from './record-store/record-stores.ts';

/** The contract of a record store: every implementation runs it. */
export function describeRecordStore(implementation: string, underTest: RecordStoreUnderTest): void {
  describe(`the record store ${implementation}`, () => {
    const stores = useRecordStores(underTest);
    describeChanges(stores);
    describeCallers(stores);
    describeExpiry(stores);
    describeKeys(stores);
    describeLimits(stores);
    describeClosing(stores);
    describeAnyOrder(stores);
  });
}

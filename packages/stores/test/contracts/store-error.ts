import type { StoreError } from '@switchyard/stores';
import { expect } from 'vitest';

/** Matches a StoreError with this code. */
export function storeError(code: StoreError['code']): unknown {
  return expect.objectContaining({ name: 'StoreError', code });
}

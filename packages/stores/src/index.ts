export type { AppendLog, AppendLogLimits, LogReadOptions, LogRecord, StoredRecord } from './append-log.ts';
export type { KeyValueLimits, KeyValueStore } from './key-value-store.ts';
export { createMemoryAppendLog } from './memory-append-log.ts';
export { createMemoryKeyValueStore } from './memory-key-value-store.ts';
export { StoreError } from './store-error.ts';
export type { StoreErrorCode } from './store-error.ts';

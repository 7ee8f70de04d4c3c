export type { Durability, SqliteFileOptions } from './open-database.ts';
export { openSqliteAppendLog } from './sqlite-append-log.ts';
export { openSqliteKeyValueStore } from './sqlite-key-value-store.ts';
export { openSqliteRecordStore } from './sqlite-record-store.ts';

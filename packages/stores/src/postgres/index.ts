export type { PostgresOptions } from './opened-postgres.ts';
export { openPostgresRecordStore } from './postgres-record-store.ts';

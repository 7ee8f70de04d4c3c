export type { RedisOptions } from './redis-connection.ts';
export { openRedisEventBus } from './redis-event-bus.ts';
export type { RedisEventBusOptions } from './redis-event-bus.ts';
export { openRedisRecordStore } from './redis-record-store.ts';

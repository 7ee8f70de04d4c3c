/** The PostgreSQL database of the tests. */
export const postgresUrl = process.env['SWITCHYARD_TEST_POSTGRES_URL'] ?? 'postgres://postgres@127.0.0.1:5432/test';

/** The Redis server of the tests. */
export const redisUrl = process.env['SWITCHYARD_TEST_REDIS_URL'] ?? 'redis://127.0.0.1:6379';

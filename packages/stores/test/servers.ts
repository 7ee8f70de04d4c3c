import { randomUUID } from 'node:crypto';
import { createClient } from '@redis/client';
import { Client, escapeIdentifier } from 'pg';
import { afterAll } from 'vitest';
import { postgresUrl, redisUrl } from './server-urls.ts';

export { postgresUrl, redisUrl } from './server-urls.ts';

/** Answers new names of PostgreSQL schemas, which are dropped after the tests of the calling file. */
export function usePostgresSchemas(): () => string {
  const names: string[] = [];
  afterAll(async () => {
    if (names.length === 0) return;
    await withPostgres(async (client) => {
      await client.query('SET client_min_messages = warning');
      for (const name of names) await client.query(`DROP SCHEMA IF EXISTS ${escapeIdentifier(name)} CASCADE`);
    });
  });
  return () => {
    const name = `test_${randomUUID()}`;
    names.push(name);
    return name;
  };
}

/** Runs `use` with a connection of its own to the database of the tests. */
export async function withPostgres<T>(use: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: postgresUrl });
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}

/** Answers new prefixes of Redis keys, whose keys are deleted after the tests of the calling file. */
export function useRedisPrefixes(): () => string {
  const family = `test:${randomUUID()}:`;
  let count = 0;
  afterAll(async () => {
    if (count === 0) return;
    await withRedis(async (client) => {
      for await (const keys of client.scanIterator({ MATCH: `${family}*`, COUNT: 1000 })) {
        if (keys.length > 0) await client.del(keys);
      }
    });
  });
  return () => {
    count += 1;
    return `${family}${count}:`;
  };
}

function makeRedisClient() {
  return createClient({ url: redisUrl, RESP: 2, socket: { reconnectStrategy: false } });
}

/** Runs `use` with a connection of its own to the Redis server of the tests. */
export async function withRedis<T>(use: (client: ReturnType<typeof makeRedisClient>) => Promise<T>): Promise<T> {
  const client = makeRedisClient();
  client.on('error', () => {});
  await client.connect();
  try {
    return await use(client);
  } finally {
    client.destroy();
  }
}

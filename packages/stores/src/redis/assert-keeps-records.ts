import { StoreError } from '../store-error.ts';
import type { RedisConnection } from './redis-connection.ts';
import { isForbidden } from './redis-failure.ts';

/**
 * Asserts that the server does not evict keys that live for ever, which all keys of ours do: a record that goes missing
 * would let a single-use value be used again. A user who may not ask the server for its policy is believed.
 *
 * Rejects with StoreError `unavailable`.
 */
export async function assertKeepsRecords(connection: RedisConnection): Promise<void> {
  const memory = await connection.run((client) =>
    client.info('memory').catch((error: unknown) => {
      if (isForbidden(error)) return '';
      throw error;
    }),
  );
  const fieldOf = (name: string): string | undefined => new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(memory)?.[1];
  const policy = fieldOf('maxmemory_policy') ?? 'noeviction';
  const isLimited = Number(fieldOf('maxmemory') ?? 0) > 0;
  if (isLimited && policy.startsWith('allkeys')) {
    throw new StoreError(
      'unavailable',
      `the Redis server has maxmemory-policy ${policy}, which may drop live records: set it to noeviction, or name ` +
        'another server',
    );
  }
}

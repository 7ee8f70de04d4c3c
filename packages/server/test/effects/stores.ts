import type { RecordStore } from '@switchyard/stores';
import { createMemoryRecordStore } from '@switchyard/stores';
import { openPostgresRecordStore } from '@switchyard/stores/postgres';
import { openRedisRecordStore } from '@switchyard/stores/redis';
import { openSqliteRecordStore } from '@switchyard/stores/sqlite';

import { postgresUrl, redisUrl } from '../../../stores/test/server-urls.ts';
import { usePostgresSchemas, useRedisPrefixes } from '../../../stores/test/servers.ts';
import { useTemporaryFolder } from '../../../stores/test/temporary-folder.ts';

/** Opens two handles of one new store, as two processes of a server have them. */
export type OpenTwo = (epochNow: () => number) => Promise<readonly [RecordStore, RecordStore]>;

/** Every store that the tests of the calling file run against. */
export function useEveryStore(): readonly (readonly [string, OpenTwo])[] {
  const newPath = useTemporaryFolder();
  const newSchema = usePostgresSchemas();
  const newPrefix = useRedisPrefixes();
  const twice = async (open: () => Promise<RecordStore>) => [await open(), await open()] as const;
  return [
    [
      'memory',
      async (epochNow) => {
        const store = createMemoryRecordStore({ epochNow });
        return [store, store];
      },
    ],
    [
      'SQLite',
      (epochNow) => {
        const path = newPath('records.db');
        return twice(() => openSqliteRecordStore({ path, epochNow }));
      },
    ],
    [
      'PostgreSQL',
      (epochNow) => {
        const schema = newSchema();
        return twice(() => openPostgresRecordStore({ url: postgresUrl, schema, maxConnections: 3, epochNow }));
      },
    ],
    [
      'Redis',
      (epochNow) => {
        const keyPrefix = newPrefix();
        return twice(() => openRedisRecordStore({ url: redisUrl, keyPrefix, epochNow }));
      },
    ],
  ];
}

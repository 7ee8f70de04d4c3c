import type { RecordStore } from '@switchyard/stores';
import { openPostgresRecordStore } from '@switchyard/stores/postgres';
import { escapeIdentifier } from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { describeRecordStore } from './contracts/record-store.ts';
import type { RecordStoreUnderTest } from './contracts/record-store/record-stores.ts';
import { describeServerClock } from './contracts/server-clock.ts';
import { describeSharedRecordStore } from './contracts/shared-record-store.ts';
import { describeUnreachableServer } from './contracts/unreachable-server.ts';
import { postgresUrl, usePostgresSchemas, withPostgres } from './servers.ts';

const newSchema = usePostgresSchemas();

const underTest: RecordStoreUnderTest = {
  open: (options, schema) => openPostgresRecordStore({ ...options, url: postgresUrl, schema, maxConnections: 5 }),
  newPlace: newSchema,
  isShared: true,
};
describeRecordStore('in PostgreSQL', underTest);
describeSharedRecordStore('in PostgreSQL', underTest);
describeServerClock('in PostgreSQL', underTest);

describeUnreachableServer('in PostgreSQL', {
  url: postgresUrl,
  open: (options) => openPostgresRecordStore({ ...options, schema: newSchema(), maxConnections: 3 }),
});

describe('the record store in PostgreSQL', () => {
  async function open(options: Partial<Parameters<typeof openPostgresRecordStore>[0]> = {}): Promise<RecordStore> {
    const store = await openPostgresRecordStore({ url: postgresUrl, schema: newSchema(), ...options });
    onTestFinished(() => store.close());
    return store;
  }

  it('makes its tables once when many open a new schema at once', async () => {
    const schema = newSchema();
    const stores = await Promise.all(Array.from({ length: 8 }, () => open({ schema, maxConnections: 2 })));
    await Promise.all(stores.map((store, index) => store.put(`key ${index}`, 'value', { expected: undefined })));
    expect(await stores[0]?.keys('')).toHaveLength(8);
  });

  it('takes any name of a schema', async () => {
    const schema = `${newSchema()}"; DROP TABLE x; --`.slice(-60);
    onTestFinished(() =>
      withPostgres((client) => client.query(`DROP SCHEMA ${escapeIdentifier(schema)} CASCADE`)).then(() => {}),
    );
    const store = await open({ schema });
    expect(await store.put('key', 'value', { expected: undefined })).toBeDefined();
    expect(await store.keys('')).toEqual(['key']);
  });

  it('refuses tables of a newer version', async () => {
    const schema = newSchema();
    await open({ schema });
    await withPostgres((client) => client.query(`UPDATE ${escapeIdentifier(schema)}.store_version SET version = 99`));
    await expect(open({ schema })).rejects.toMatchObject({
      code: 'newer-schema',
      message: expect.stringMatching(/version 99.*knows 1.*upgrade/s),
    });
  });

  it('refuses a schema where another program has a table of the name, and changes nothing there', async () => {
    const schema = newSchema();
    const quoted = escapeIdentifier(schema);
    await withPostgres((client) => client.query(`CREATE SCHEMA ${quoted}; CREATE TABLE ${quoted}.record (song text)`));
    await expect(open({ schema })).rejects.toMatchObject({ name: 'StoreError', code: 'corrupt' });
    const { rows } = await withPostgres((client) =>
      client.query('SELECT table_name FROM information_schema.tables WHERE table_schema = $1', [schema]),
    );
    expect(rows).toEqual([{ table_name: 'record' }]);
  });

  it('works where transactions are serializable by default', async () => {
    const url = new URL(postgresUrl);
    url.searchParams.set('options', '-c default_transaction_isolation=serializable');
    const store = await open({ url: url.href });
    const versions = await Promise.all(
      Array.from({ length: 50 }, () => store.put('key', 'value', { expected: undefined })),
    );
    expect(versions.filter((version) => version !== undefined)).toHaveLength(1);
  });

  it('counts what it holds exactly, whatever many writers do, and drops what has expired as it writes', async () => {
    const schema = newSchema();
    let time = 1_700_000_000_000;
    const store = await open({ schema, epochNow: () => time });
    async function write(round: number): Promise<void> {
      await Promise.all(
        Array.from({ length: 100 }, async (_, index) => {
          const key = `key ${round} ${index % 60}`;
          const version = await store.put(key, 'x'.repeat(index), { expected: undefined, ttlMs: index % 2 ? 10 : 1e6 });
          if (index % 3 === 0) await store.put(key, 'changed', { expected: version });
          if (index % 7 === 0) await store.delete(key);
        }),
      );
    }
    await write(1);
    time += 10;
    await write(2);
    await write(3);
    const { rows } = await withPostgres((client) =>
      client.query(`
        SELECT count(*) = (SELECT sum(records) FROM ${escapeIdentifier(schema)}.record_total) AS records,
          sum(chars) = (SELECT sum(chars) FROM ${escapeIdentifier(schema)}.record_total) AS chars,
          bool_and(chars = length(key) + length(value)) AS each,
          count(*) FILTER (WHERE key LIKE 'key 1 %' AND expires_at <= ${time}) AS expired
        FROM ${escapeIdentifier(schema)}.record`),
    );
    expect(rows).toEqual([{ records: true, chars: true, each: true, expired: '0' }]);
  });
});

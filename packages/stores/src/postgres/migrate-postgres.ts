import { StoreError } from '../store-error.ts';
import type { OpenedPostgres, PostgresSession } from './opened-postgres.ts';

/** The tables of one kind of store. */
export interface PostgresMigrations {
  /** The kind, as it stands in the table of versions. */
  readonly store: string;
  /** The statements that lead from version n to n + 1, oldest first, for a quoted schema. Only ever appended to. */
  readonly steps: readonly ((schema: string) => string)[];
}

// One lock for every schema of a database, because two that make the same schema at once disturb each other.
const LOCK = '6009171632420934471';

/** What of a schema is there. Read with a query: `to_regclass` may remember what was not there before the lock came. */
const SURVEY = `
  SELECT EXISTS (SELECT FROM pg_catalog.pg_namespace WHERE nspname = $1::name) AS has_schema,
    EXISTS (SELECT FROM pg_catalog.pg_tables WHERE schemaname = $1::name AND tablename = 'store_version') AS has_versions`;

interface Found {
  readonly hasSchema: boolean;
  /** Of the store's tables, 0 where there are none. */
  readonly version: number;
}

/** Reads what is there; refuses tables of a newer version. */
async function survey(
  session: PostgresSession,
  { schema, schemaName }: OpenedPostgres,
  { store, steps }: PostgresMigrations,
): Promise<Found> {
  const [found] = await session.query(SURVEY, [schemaName]);
  const hasSchema = found?.['has_schema'] === true;
  if (found?.['has_versions'] !== true) return { hasSchema, version: 0 };
  const [row] = await session.query(`SELECT version FROM ${schema}.store_version WHERE store = $1`, [store]);
  const version = Number(row?.['version'] ?? 0);
  if (version > steps.length) {
    throw new StoreError(
      'newer-schema',
      `the tables of the ${store} store in the schema ${schema} have version ${version}, and this version of the ` +
        `software knows ${steps.length} at most: upgrade the software or name another schema`,
    );
  }
  return { hasSchema, version };
}

/**
 * Brings the tables of a store up to date, in one transaction under a lock, so that any number of processes may start
 * at once. Writes nothing when they are up to date, so that this needs no rights beyond those of a user of the tables.
 *
 * Rejects with StoreError `unavailable`, `corrupt` (another program's table has the name) or `newer-schema`.
 */
export async function migratePostgres(opened: OpenedPostgres, migrations: PostgresMigrations): Promise<void> {
  const { schema } = opened;
  const { store, steps } = migrations;
  if ((await survey(opened, opened, migrations)).version === steps.length) return;
  await opened.transact(async (session) => {
    await session.query('SELECT pg_advisory_xact_lock($1)', [LOCK]);
    // Read again under the lock: another process may have made the same steps in between.
    const { hasSchema, version } = await survey(session, opened, migrations);
    if (version === steps.length) return;
    if (!hasSchema) await session.query(`CREATE SCHEMA ${schema}`);
    await session.query(
      `CREATE TABLE IF NOT EXISTS ${schema}.store_version (store text PRIMARY KEY, version integer NOT NULL)`,
    );
    for (const step of steps.slice(version)) await session.query(step(schema));
    await session.query(
      `INSERT INTO ${schema}.store_version (store, version) VALUES ($1, $2)
       ON CONFLICT (store) DO UPDATE SET version = excluded.version`,
      [store, steps.length],
    );
  });
}

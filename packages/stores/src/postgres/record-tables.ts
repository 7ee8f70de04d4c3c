import type { PostgresMigrations } from './migrate-postgres.ts';

/** How many characters of a key are in the index that lists keys: what surely fits, as an entry takes 2,704 bytes. */
export const INDEXED_KEY_CHARS = 600;

/**
 * The tables of a record store. A record is found by the SHA-256 of its key, as no index takes the longest keys. The
 * total is kept in sixteen rows, of which a connection changes its own, so that writers rarely wait for each other.
 */
export const recordTables: PostgresMigrations = {
  store: 'record',
  steps: [
    (schema) => `
      CREATE TABLE ${schema}.record (
        digest bytea PRIMARY KEY,
        key text COLLATE "C" NOT NULL,
        value text NOT NULL,
        version text NOT NULL,
        chars integer NOT NULL,
        expires_at bigint
      );
      CREATE INDEX record_key ON ${schema}.record (left(key, ${INDEXED_KEY_CHARS}));
      CREATE INDEX record_expiry ON ${schema}.record (expires_at) WHERE expires_at IS NOT NULL;
      CREATE TABLE ${schema}.record_total (shard integer PRIMARY KEY, records bigint NOT NULL, chars bigint NOT NULL)
        WITH (fillfactor = 50);
      INSERT INTO ${schema}.record_total SELECT shard, 0, 0 FROM generate_series(0, 15) AS shard;
      CREATE FUNCTION ${schema}.count_records() RETURNS trigger LANGUAGE plpgsql AS $$
        DECLARE
          more_records bigint := 0;
          more_chars bigint := 0;
          gone_records bigint := 0;
          gone_chars bigint := 0;
        BEGIN
          IF TG_OP <> 'DELETE' THEN
            SELECT count(*), coalesce(sum(chars), 0) INTO more_records, more_chars FROM written;
          END IF;
          IF TG_OP <> 'INSERT' THEN
            SELECT count(*), coalesce(sum(chars), 0) INTO gone_records, gone_chars FROM gone;
          END IF;
          IF more_records <> gone_records OR more_chars <> gone_chars THEN
            UPDATE ${schema}.record_total
              SET records = records + more_records - gone_records, chars = chars + more_chars - gone_chars
              WHERE shard = pg_backend_pid() % 16;
          END IF;
          RETURN NULL;
        END
      $$;
      CREATE TRIGGER record_added AFTER INSERT ON ${schema}.record
        REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION ${schema}.count_records();
      CREATE TRIGGER record_changed AFTER UPDATE ON ${schema}.record
        REFERENCING OLD TABLE AS gone NEW TABLE AS written
        FOR EACH STATEMENT EXECUTE FUNCTION ${schema}.count_records();
      CREATE TRIGGER record_removed AFTER DELETE ON ${schema}.record
        REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION ${schema}.count_records();
    `,
  ],
};

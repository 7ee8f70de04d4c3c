import { OpenedPostgres } from '../packages/stores/src/postgres/opened-postgres.ts';
import { RedisConnection } from '../packages/stores/src/redis/redis-connection.ts';
import { postgresUrl, redisUrl } from '../packages/stores/test/server-urls.ts';

/** A server that tests need, and that no install step brings. */
interface Service {
  readonly name: string;
  readonly variable: string;
  readonly start: string;
  /** Rejects where the server does not answer, within some seconds. */
  check(): Promise<void>;
}

const services: readonly Service[] = [
  {
    name: 'PostgreSQL',
    variable: 'SWITCHYARD_TEST_POSTGRES_URL',
    start:
      'pg_ctlcluster VERSION main start, or docker run -d -p 127.0.0.1:5432:5432 -e POSTGRES_HOST_AUTH_METHOD=trust ' +
      '-e POSTGRES_DB=test postgres; the tests make and drop schemas of their own in the database',
    check: async () => {
      const server = new OpenedPostgres({ url: postgresUrl }, 'check');
      try {
        await server.query('SELECT 1');
      } finally {
        await server.close();
      }
    },
  },
  {
    name: 'Redis',
    variable: 'SWITCHYARD_TEST_REDIS_URL',
    start:
      'redis-server --daemonize yes, or docker run -d -p 127.0.0.1:6379:6379 redis; the tests make and delete keys of ' +
      'their own',
    check: async () => {
      const server = new RedisConnection({ url: redisUrl });
      try {
        await server.run((client) => client.ping());
      } finally {
        server.close();
      }
    },
  },
];

// Says which of the servers that tests need do not answer, and how to start them, before a test fails for it.
let failed = 0;
for (const { name, variable, start, check } of services) {
  try {
    await check();
    console.log(`ok     ${name} answers`);
  } catch (error) {
    failed += 1;
    console.log(`FAILED ${name}: ${error instanceof Error ? error.message : String(error)}`);
    console.log(`       Start it: ${start}.`);
    console.log(`       Or name another one in ${variable}.`);
  }
}
console.log(`${services.length - failed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;

import { expect, it } from 'vitest';
import { OpenedPostgres } from '../src/postgres/opened-postgres.ts';
import { startFlakyProxy } from './flaky-proxy.ts';
import { postgresUrl } from './server-urls.ts';

it('a transaction whose connection breaks, also between two statements, fails and leaves the process alone', async () => {
  const proxy = await startFlakyProxy(postgresUrl);
  const opened = new OpenedPostgres({ url: proxy.url }, 'store');
  const broken = opened.transact(async (session) => {
    await session.query('SELECT 1');
    proxy.stop();
    // Until the end of the connection has been seen.
    await expect.poll(() => session.query('SELECT 1').catch(() => 'failed')).toBe('failed');
    await session.query('SELECT 1');
  });
  await expect(broken).rejects.toMatchObject({ name: 'StoreError', code: 'unavailable' });
  await proxy.restart();
  expect(await opened.transact((session) => session.query('SELECT 1 AS one'))).toEqual([{ one: 1 }]);
  await opened.close();
});

import { expect, test } from 'vitest';

import { run } from '../run.ts';

const script = ['--conditions=@switchyard/source', 'scripts/check-services.ts'];

test('finds the servers that the tests need', async () => {
  const { code, output } = await run('node', script);
  expect(output).toBe('ok     PostgreSQL answers\nok     Redis answers\n2 passed, 0 failed\n');
  expect(code).toBe(0);
});

test.each([
  ['PostgreSQL', 'SWITCHYARD_TEST_POSTGRES_URL', 'postgres://user:secret@127.0.0.1:1/test', /pg_ctlcluster/],
  ['Redis', 'SWITCHYARD_TEST_REDIS_URL', 'redis://user:secret@127.0.0.1:1', /redis-server/],
])('fails where %s does not answer, and says how to start it', async (name, variable, url, start) => {
  const { code, output } = await run('node', script, { env: { [variable]: url } });
  expect(code).toBe(1);
  expect(output).toContain(`FAILED ${name}: `);
  expect(output).toContain('127.0.0.1:1');
  expect(output).toMatch(start);
  expect(output).toContain(variable);
  expect(output).toContain('1 passed, 1 failed');
  expect(output).not.toContain('secret');
});

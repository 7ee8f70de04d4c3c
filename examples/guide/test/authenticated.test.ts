import { connect } from '@switchyard/client';
import { afterAll, expect, test } from 'vitest';

import { running } from '../src/authenticated.ts';

afterAll(() => running.close());

async function whoami(authorization?: string): Promise<unknown> {
  await using client = await connect(running.url, { headers: authorization === undefined ? {} : { authorization } });
  return (await client.callTool('whoami')).content;
}

test.each([
  ['Bearer s3cret-of-mira', 'mira'],
  [undefined, 'nobody in particular'],
])('lets %s in as %s', async (authorization, text) => {
  expect(await whoami(authorization)).toMatchObject([{ text }]);
});

test('refuses credentials that are nobody’s with 401 and a challenge, and a thrown refusal with its status', async () => {
  await expect(whoami('Bearer wrong')).rejects.toMatchObject({ code: 'unauthorized', challenge: 'Bearer' });
  const response = await fetch(running.url, {
    method: 'POST',
    headers: { authorization: 'Bearer s3cret-of-bob', 'content-type': 'application/json' },
    body: '{}',
  });
  expect(response.status).toBe(403);
  expect(await response.text()).toContain('Your plan has ended');
});

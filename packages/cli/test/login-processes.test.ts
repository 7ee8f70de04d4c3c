import { createFileTokenStore } from '@switchyard/client/node';
import { expect, it } from 'vitest';
import { openHome } from './open-home.ts';
import { openLoginServer } from './open-login-server.ts';
import { spawnBin } from './spawn-bin.ts';
import { untilTestEnds } from './until-test-ends.ts';

it('has one of several processes refresh a login whose refresh token is good once', async () => {
  const server = await openLoginServer();
  const { login, folder, path } = await openHome();
  await login([server.url], 'mira');
  await letTokenEnd(folder, server.url);
  const processes = await Promise.all(
    [1, 2, 3, 4].map(() =>
      untilTestEnds(spawnBin(['call', '--url', server.url, 'who'], path, { HOME: path, XDG_CONFIG_HOME: path })),
    ),
  );
  const codes = await Promise.all(processes.map(({ ended }) => ended));
  expect(processes.map(({ output }) => output)).toEqual(processes.map(() => ({ stdout: 'mira\n', stderr: '' })));
  expect(codes).toEqual([0, 0, 0, 0]);
  expect(server.tokenRequests).toEqual(['authorization_code', 'refresh_token']);
}, 60_000);

/** Makes the stored token one that the server takes no more, as time would; the refresh token stays. */
async function letTokenEnd(folder: string, url: string): Promise<void> {
  const store = createFileTokenStore({ folder });
  const key = `tokens ${encodeURIComponent(url)} authorization_code`;
  const tokens = JSON.parse((await store.get(key)) ?? '{}') as object;
  await store.set(key, JSON.stringify({ ...tokens, accessToken: 'ended', expiresAt: 1000, obtainedAt: 0 }));
}

import { expect, it } from 'vitest';
import { createOAuthCredentials } from '../../src/authorization/index.ts';
import { connect, createResponseCache, type HttpCredentials } from '../../src/index.ts';
import { closeAfterwards, contentsOf, namesOf, toolsOf } from '../cache/serve-cached.ts';
import { discovery, type Written } from '../scripted-peer.ts';
import { createWorld, guard, scriptAuthorizationServer, wantsToken } from './scripted-world.ts';

it('[CACHE-17] [cache-01] a private answer is not found with another access token, be it the same user’s', async () => {
  const world = createWorld();
  const { redirect } = scriptAuthorizationServer(world);
  const { url } = guard(world, wantsToken);
  const asked: unknown[] = [];
  world.route(url, ({ body, headers }) => {
    // A sign-in ahead of the first request asks whether there is something to sign in to.
    if (body === '') return 401;
    const { id, method, params } = JSON.parse(body) as Written;
    if (method === 'server/discover') return { jsonrpc: '2.0', id, result: discovery };
    const who = headers['authorization']?.match(/access-token-(\d)/)?.[1] ?? 'nobody';
    asked.push([method, who]);
    const templates = { resourceTemplates: [{ name: 'x', uriTemplate: `a:/${who}` }] };
    const result =
      method === 'tools/list'
        ? toolsOf([`of-${who}`])
        : method === 'resources/read'
          ? contentsOf(params?.['uri'], `of-${who}`)
          : { ...templates, ttlMs: 60_000, cacheScope: 'private' };
    return { jsonrpc: '2.0', id, result: { resultType: 'complete', ...result } };
  });
  let now = 1_700_000_000_000;
  const signIn = async () => {
    const credentials = createOAuthCredentials({ serverUrl: url, redirect, fetch: world.fetch, epochNow: () => now });
    await credentials.login();
    return credentials;
  };
  // Its time stands still, so that nothing is over but by the token.
  const cache = createResponseCache({ epochNow: () => 0 });
  const readAs = async (credentials: HttpCredentials | undefined) => {
    const options = credentials === undefined ? {} : { credentials };
    const client = closeAfterwards(await connect(url, { fetch: world.fetch, cache, ...options }));
    const { resourceTemplates } = await client.listResourceTemplates();
    const { contents } = await client.readResource('a:/1');
    return [...namesOf(await client.listTools()), resourceTemplates[0]?.uriTemplate, contents[0]];
  };
  const seenBy = (who: string) => [`of-${who}`, `a:/${who}`, { uri: 'a:/1', text: `of-${who}` }];

  const [amber, birch] = [await signIn(), await signIn()];
  expect(await readAs(amber)).toEqual(seenBy('1'));
  expect(await readAs(birch)).toEqual(seenBy('2'));
  expect(await readAs(amber)).toEqual(seenBy('1'));
  expect(asked).toHaveLength(2 * 3);
  now += 3541_000;
  expect(await readAs(amber)).toEqual(seenBy('3'));
  expect(await readAs(undefined)).toEqual(seenBy('nobody'));
  expect(asked).toHaveLength(4 * 3);
});

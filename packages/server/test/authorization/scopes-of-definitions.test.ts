import { createServer, type HttpOptions, silentLogger } from '@switchyard/server';
import { describe, expect, it, onTestFinished } from 'vitest';

import { messageOf, openNodeRoute, postOf } from '../http-route.ts';
import { openMemory } from '../memory-route.ts';
import { openStdio } from '../stdio-route.ts';
import { requestOf } from '../wire.ts';

const scopes = ['shop:read', 'shop:write'];

function create() {
  const ran: string[] = [];
  const server = createServer({ name: 'shop', version: '1.0.0' }, { logger: silentLogger })
    .tool('buy', { scopes }, () => String(ran.push('tool')))
    .tool('look', {}, () => 'open to all')
    .resource('shop://stock', { name: 'stock', scopes }, () => String(ran.push('resource')))
    .resourceTemplate(
      'shop://items/{item}',
      { name: 'item', scopes, complete: { item: () => [String(ran.push('completion'))] } },
      () => String(ran.push('template')),
    )
    .prompt('advise', { scopes, args: { a: { complete: () => [String(ran.push('completion'))] } } }, () =>
      String(ran.push('prompt')),
    );
  return { server, ran };
}

const authenticate: HttpOptions['authenticate'] = (head) => {
  const held = head.header('x-scopes');
  return held === undefined ? 'anonymous' : { subject: 'ada', scopes: held.split(' ') };
};

const requests = [
  ['tools/call', { name: 'buy', arguments: {} }],
  ['resources/read', { uri: 'shop://stock' }],
  ['resources/read', { uri: 'shop://items/7' }],
  ['prompts/get', { name: 'advise', arguments: { a: '' } }],
  ['completion/complete', { ref: { type: 'ref/prompt', name: 'advise' }, argument: { name: 'a', value: '' } }],
  [
    'completion/complete',
    { ref: { type: 'ref/resource', uri: 'shop://items/{item}' }, argument: { name: 'item', value: '' } },
  ],
] as const;

describe.each(requests)('%s of a definition with scopes, %j', (method, params) => {
  const send = async (held: string | undefined) => {
    const { server, ran } = create();
    const route = await openNodeRoute(server, { authenticate });
    const { headers, ...rest } = postOf(requestOf(method, params));
    return {
      answer: await route.call({
        ...rest,
        headers: { ...headers, ...(held === undefined ? {} : { 'x-scopes': held }) },
      }),
      ran,
    };
  };

  it('[AUTHRS-07] [AUTHRS-11] [AUTHRS-12] [TOOL-32] [RES-17] [COMP-15] [COMP-16] [CACHE-08] is 403 with all scopes in one challenge to a caller who lacks one, and does not run', async () => {
    const { answer, ran } = await send('shop:read');
    expect(answer.status).toBe(403);
    expect(answer.headers['www-authenticate']).toContain('error="insufficient_scope"');
    expect(answer.headers['www-authenticate']).toContain('scope="shop:read shop:write"');
    expect(ran).toEqual([]);
  });

  it('is 401 to a caller whom nobody authenticated', async () => {
    const { answer, ran } = await send(undefined);
    expect([answer.status, ran]).toEqual([401, []]);
  });

  it('runs for a caller who holds them', async () => {
    const { answer, ran } = await send('other shop:write shop:read');
    expect(messageOf(answer).error).toBeUndefined();
    expect(ran).toHaveLength(1);
  });
});

it('a definition without scopes is open to every caller', async () => {
  const route = await openNodeRoute(create().server, { authenticate });
  expect((await route.call(postOf(requestOf('tools/call', { name: 'look', arguments: {} })))).status).toBe(200);
});

it('over stdio the principal says what the local user may', async () => {
  for (const [principal, allowed] of [
    [undefined, false],
    [{ subject: 'me' }, false],
    [{ subject: 'me', scopes }, true],
  ] as const) {
    const route = await openStdio(create().server, principal === undefined ? {} : { principal });
    route.send(requestOf('tools/call', { name: 'buy', arguments: {} }, { id: 1 }));
    const { error } = await route.seen(({ id }) => id === 1);
    expect(error === undefined).toBe(allowed);
    await route.end();
  }
});

it.each([[['two words']], [['offline_access']], [['']]])('refuses %j as scopes of a definition', (given) => {
  expect(() => createServer({ name: 's', version: '1' }).tool('t', { scopes: given }, () => '')).toThrow(
    /tool t: scopes/,
  );
});

it('a subscription ends when the credentials of its caller do', async () => {
  const expiresAtMs = Date.now() + 40;
  const route = await openNodeRoute(create().server, { authenticate: () => ({ subject: 'ada', expiresAtMs }) });
  const answer = await route.call(
    postOf(requestOf('subscriptions/listen', { notifications: { toolsListChanged: true } }, { id: 'w' })),
  );
  expect(answer.text).toContain('"id":"w","result"');
});

it('[AUTHRS-17] a subscriber hears nothing of a resource that its scopes do not let it read', async () => {
  const { server } = create();
  server.resource('shop://open', { name: 'open' }, () => '');
  const notifications = { resourceSubscriptions: ['shop://stock', 'shop://open', 'shop://items'] };
  const aborter = new AbortController();
  onTestFinished(() => aborter.abort());
  const [without, holding] = await Promise.all(
    [{ subject: 'eve' }, { subject: 'ada', scopes }].map(async (principal) => {
      const route = openMemory(server, { principal, signal: aborter.signal });
      void route.request('subscriptions/listen', { notifications });
      await expect.poll(() => route.notifications).toHaveLength(1);
      return route.notifications;
    }),
  );
  for (const uri of ['shop://stock', 'shop://items/7', 'shop://open']) server.resourceUpdated(uri);
  await expect.poll(() => holding).toHaveLength(4);
  const heard = (of: typeof without) => of?.slice(1).map(({ params }) => params?.['uri']);
  expect(without?.[0]?.params?.['notifications']).toEqual({ resourceSubscriptions: ['shop://open', 'shop://items'] });
  expect(heard(without)).toEqual(['shop://open']);
  expect(heard(holding)).toEqual(['shop://stock', 'shop://items/7', 'shop://open']);
});

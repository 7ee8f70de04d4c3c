import assert from 'node:assert/strict';

import { errorOf, resultOf } from '@switchyard/testing';

import { experiment, newKey, show } from './laboratory.ts';

await experiment(
  'May a request leave clientCapabilities out, once the server knows them?',
  [newKey()],
  async (laboratory) => {
    const { client } = laboratory;

    // A good request first, so that a server which remembers would have something to remember.
    const good = await client.request('with capabilities', 'tools/list');
    show('with clientCapabilities', good);
    assert.ok(resultOf(good));

    // The same request once more, but for the one member.
    const { _meta } = good.sent['params'] as { readonly _meta: Readonly<Record<string, unknown>> };
    const { 'io.modelcontextprotocol/clientCapabilities': removed, ...meta } = _meta;
    assert.ok(removed);
    const bad = await client.send('without capabilities', { method: 'tools/list', params: { _meta: meta } });
    show('without clientCapabilities', bad);
    assert.equal(errorOf(bad)?.['code'], -32602);
    assert.equal(bad.status, 400);

    // "None" is said with an empty object.
    const none = await client.request('with none', 'tools/list', {}, { capabilities: {} });
    show('with an empty object', none);
    assert.ok(resultOf(none));
  },
);

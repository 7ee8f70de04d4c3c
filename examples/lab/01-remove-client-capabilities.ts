import assert from 'node:assert/strict';

import { clientInfo, errorOf, modernMeta, resultOf } from '@switchyard/testing';

import { experiment, newKey, show } from './laboratory.ts';

await experiment(
  'May a request leave clientCapabilities out, once the server knows them?',
  [newKey()],
  async (laboratory) => {
    const { conversation } = laboratory;

    // A good request first, so that a server which remembers would have something to remember.
    const good = await conversation.request('with capabilities', 'tools/list');
    show('with clientCapabilities', good);
    assert.ok(resultOf(good));

    const { 'io.modelcontextprotocol/clientCapabilities': _removed, ...meta } = modernMeta({ clientInfo });
    const bad = await conversation.send('without capabilities', { method: 'tools/list', params: { _meta: meta } });
    show('without clientCapabilities', bad);
    assert.equal(errorOf(bad)?.['code'], -32602);
    assert.equal(bad.status, 400);

    // "None" is said with an empty object.
    const none = await conversation.request('with none', 'tools/list', {}, { capabilities: {} });
    show('with an empty object', none);
    assert.ok(resultOf(none));
  },
);

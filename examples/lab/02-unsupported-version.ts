import assert from 'node:assert/strict';

import { errorOf, resultOf } from '@switchyard/testing';

import { experiment, newKey, show } from './laboratory.ts';

await experiment(
  'What does a client learn that asks in a version that the server does not have?',
  [newKey()],
  async (laboratory) => {
    const { client } = laboratory;
    const refused = await client.request('old version', 'tools/list', {}, { version: '1900-01-01' });
    show('1900-01-01', refused);
    const error = errorOf(refused);
    assert.equal(error?.['code'], -32022);
    assert.equal(refused.status, 400);

    // The answer is enough to go on: one of the supported versions, under a new id, and no handshake.
    const { supported, requested } = error['data'] as {
      readonly supported: readonly string[];
      readonly requested: string;
    };
    assert.equal(requested, '1900-01-01');
    const [version = ''] = supported;
    const served = await client.request('offered version', 'tools/list', {}, { version });
    show(version, served);
    assert.ok(resultOf(served));
    assert.notEqual(served.sent['id'], refused.sent['id']);
  },
);

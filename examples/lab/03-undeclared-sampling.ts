import assert from 'node:assert/strict';

import { errorOf, resultOf } from '@switchyard/testing';

import { experiment, newKey, show } from './laboratory.ts';

await experiment('Does a tool ask for sampling that the client did not declare?', [newKey()], async (laboratory) => {
  const { client } = laboratory;
  const params = { name: 'book_trip', arguments: {} };
  const refused = await client.request('without sampling', 'tools/call', params, {
    capabilities: { elicitation: { form: {} } },
  });
  show('elicitation alone', refused);
  const error = errorOf(refused);
  assert.equal(error?.['code'], -32021);
  assert.equal(refused.status, 400);
  assert.deepEqual(error['data'], { requiredCapabilities: { sampling: {} } });

  // The same client may declare it on the very next request: nothing was remembered of this one.
  const asked = await client.request('with sampling', 'tools/call', params, {
    capabilities: { elicitation: { form: {} }, sampling: {} },
  });
  show('both', asked);
  assert.equal(resultOf(asked)?.['resultType'], 'input_required');
});

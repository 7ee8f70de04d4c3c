import assert from 'node:assert/strict';

import { errorOf, resultOf } from '@switchyard/testing';

import { askForTrip, experiment, newKey, retryTrip, show, stateOf } from './laboratory.ts';

await experiment('And an instance that has another key?', [newKey(), newKey()], async (laboratory) => {
  const state = stateOf(await askForTrip(laboratory));
  const before = laboratory.runs();

  const refused = await retryTrip(laboratory, 'another key', { state, instance: 2 });
  show('the retry on instance 2', refused);
  assert.equal(errorOf(refused)?.['code'], -32602);
  assert.equal(laboratory.runs(), before);

  // The client is told what to do, and nothing of why: send the request again without state and answers. There it is a
  // first request.
  const served = await retryTrip(laboratory, 'where it came from', { state });
  show('the same retry on instance 1', served);
  assert.equal(resultOf(served)?.['resultType'], 'complete');
});

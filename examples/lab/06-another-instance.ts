import assert from 'node:assert/strict';

import { resultOf } from '@switchyard/testing';

import { askForTrip, experiment, newKey, retryTrip, show, stateOf } from './laboratory.ts';

const key = newKey();
await experiment('Does a retry have to reach the instance that asked?', [key, key], async (laboratory) => {
  const state = stateOf(await askForTrip(laboratory));

  // The second instance never heard of this request. It has the same key and the same tool, and the retry brings all
  // the rest.
  const exchange = await retryTrip(laboratory, 'on the other instance', { state, instance: 2 });
  show('the retry on instance 2', exchange);
  assert.equal(resultOf(exchange)?.['resultType'], 'complete');
  assert.match(JSON.stringify(resultOf(exchange)), /Lisbon/);
});

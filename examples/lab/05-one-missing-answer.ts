import assert from 'node:assert/strict';

import { resultOf } from '@switchyard/testing';

import { answers, askForTrip, experiment, newKey, retryTrip, show, stateOf } from './laboratory.ts';

await experiment('What becomes of a retry that answers one of two questions?', [newKey()], async (laboratory) => {
  const asked = await askForTrip(laboratory);
  const { destination, greeting } = answers;

  const half = await retryTrip(laboratory, 'one answer', { state: stateOf(asked), answers: { destination } });
  show('the destination alone', half);
  assert.equal(resultOf(half)?.['resultType'], 'input_required');
  assert.deepEqual(Object.keys(resultOf(half)?.['inputRequests'] as object), ['greeting']);

  // What was answered travels in the new state, so it need not be said again; the old state would not know it.
  assert.notEqual(stateOf(half), stateOf(asked));
  const whole = await retryTrip(laboratory, 'the other answer', { state: stateOf(half), answers: { greeting } });
  show('the greeting, with the new state', whole);
  assert.equal(resultOf(whole)?.['resultType'], 'complete');
  assert.match(JSON.stringify(resultOf(whole)), /Lisbon/);
});

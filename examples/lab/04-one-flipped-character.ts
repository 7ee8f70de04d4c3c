import assert from 'node:assert/strict';

import { errorOf, resultOf } from '@switchyard/testing';

import { askForTrip, experiment, newKey, retryTrip, show, stateOf } from './laboratory.ts';

/** Replaces a character by another one of base64url; the two differ in a bit that counts at the end of a text, too. */
function flipCharacter(state: string, at: number): string {
  return `${state.slice(0, at)}${state[at] === 'A' ? 'g' : 'A'}${state.slice(at + 1)}`;
}

await experiment('How much of a state may a client change?', [newKey()], async (laboratory) => {
  const state = stateOf(await askForTrip(laboratory));
  const before = laboratory.runs();
  for (const at of [0, Math.floor(state.length / 2), state.length - 1]) {
    const exchange = await retryTrip(laboratory, `flipped at ${at}`, { state: flipCharacter(state, at) });
    show(`character ${at + 1} of ${state.length} flipped`, exchange);
    assert.equal(errorOf(exchange)?.['code'], -32602);
  }
  // Refused before any logic: the tool's code did not run for one of them.
  assert.equal(laboratory.runs(), before);

  const exchange = await retryTrip(laboratory, 'unchanged', { state });
  show('unchanged', exchange);
  assert.equal(resultOf(exchange)?.['resultType'], 'complete');
});

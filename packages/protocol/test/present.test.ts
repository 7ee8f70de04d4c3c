import { expect, it } from 'vitest';

import { present } from '../src/index.ts';

it('leaves out the members that are undefined, and nothing else', () => {
  const given = { a: undefined, b: null, c: 0, d: '', e: false, f: [undefined] };
  expect(Object.entries(present(given))).toEqual(Object.entries(given).slice(1));
  expect(Object.keys(given)).toContain('a');
});

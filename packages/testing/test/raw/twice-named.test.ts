import { expect, it } from 'vitest';

import { twiceNamed } from '../../src/raw/twice-named.ts';

it.each([
  ['{"a":1,"b":{"a":2},"c":[{"a":3},{"a":"a"}]}', undefined],
  ['{"a":"b","b":"a\\\\"}', undefined],
  ['{"a":"\\"b\\":1,","b":2}', undefined],
  ['[]', undefined],
  ['{"a":1,"a":2}', 'a'],
  ['[{"b":{"a":1,"\\u0061" : 2}}]', 'a'],
  ['{"a":{"b":1},"c":"}","a":2}', 'a'],
  [`${'['.repeat(100_000)}${']'.repeat(100_000)}`, undefined],
])('finds a name that stands twice in one object, however it is written: %.60s', (json, name) => {
  expect(twiceNamed(json)).toBe(name);
});

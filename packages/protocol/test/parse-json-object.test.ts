import { describe, expect, it } from 'vitest';

import { parseJsonObject } from '../src/index.ts';

describe('parseJsonObject', () => {
  it.each(['', '{', '[]', 'null', '"{}"', '1'])('answers nothing for a text that is no JSON object: %s', (text) => {
    expect(parseJsonObject(text)).toBeUndefined();
  });

  it('answers the object that a text is', () => {
    expect(parseJsonObject('{"a":[1]}')).toEqual({ a: [1] });
  });
});

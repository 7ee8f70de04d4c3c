import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { compareKeys, rangeOfPrefix } from '../src/key-order.ts';
import { SortedList } from '../src/sorted-list.ts';

const character = fc.constantFrom('a', 'b', '\u{1}', '\u{d7ff}', '\u{e000}', '\u{ffff}', '\u{10000}', '\u{10ffff}');
const key = fc.string({ unit: character, maxLength: 6 });

it('orders keys like their bytes in UTF-8', () => {
  fc.assert(
    fc.property(key, key, (left, right) => {
      const expected = Buffer.compare(Buffer.from(left), Buffer.from(right));
      expect(Math.sign(compareKeys(left, right))).toBe(expected);
    }),
    { numRuns: 1000 },
  );
});

it('finds exactly the keys that begin with a prefix and come after another', () => {
  fc.assert(
    fc.property(key, key, key, (prefix, after, name) => {
      const { from, end, after: left } = rangeOfPrefix(prefix, after);
      const isInside =
        compareKeys(name, from) >= 0 && (end === undefined || compareKeys(name, end) < 0) && name !== left;
      expect(isInside).toBe(name.startsWith(prefix) && compareKeys(name, after) > 0);
    }),
    { numRuns: 1000 },
  );
});

it('keeps a list in order under any additions and removals', () => {
  const step = fc.tuple(fc.boolean(), fc.nat(20));
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const list = new SortedList<number>((left, right) => left - right);
      const model = new Set<number>();
      for (const [isAdded, item] of steps) {
        if (!isAdded) {
          list.remove(item);
          model.delete(item);
        } else if (!model.has(item)) {
          list.add(item);
          model.add(item);
        }
      }
      const inOrder = [...model].sort((left, right) => left - right);
      expect(inOrder.map((_, index) => list.at(index))).toEqual(inOrder);
      expect(list.at(model.size)).toBeUndefined();
    }),
  );
});

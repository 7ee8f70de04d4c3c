import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { exposedName, exposedNameHead, exposedServerName } from '../src/catalog/exposed-name.ts';

const SAFE_FOR_PROVIDERS = /^[a-zA-Z][a-zA-Z0-9_-]{0,63}$/;

describe('exposed names', () => {
  it.each([
    ['orders', 'get_order', 'orders__get_order'],
    ['a', '_b', 'a___b'],
    ['book-orders', 'get-order', 'book-orders__get-order'],
  ])('keep the plain names %s and %s as they are', (server, name, exposed) => {
    expect(exposedName(server, name)).toBe(exposed);
  });

  it('are cut to 64 characters without merging long names, the same on every run [names-01]', () => {
    const server = 'northern-warehouse-operations-and-billing-service';
    const names = [1, 2].map((version) =>
      exposedName(server, `summarise_quarterly_inventory_movements_by_warehouse_and_supplier_v${version}`),
    );
    expect(names).toEqual([
      'northern-warehouse-opera-hshhrkow6dty__summarise_qu-hbcla4j5nofc',
      'northern-warehouse-opera-hshhrkow6dty__summarise_qu-hmdzurlhai3v',
    ]);
    for (const name of names) expect(name).toMatch(SAFE_FOR_PROVIDERS);
  });

  it('are safe and distinct for names that model providers refuse [names-03]', () => {
    const names = ['ship.create', 'ship_create', 'ship/create', 'Ship.Create', 'größe', ''].map((name) =>
      exposedName('depot', name),
    );
    expect(new Set(names)).toHaveLength(6);
    for (const name of names) expect(name).toMatch(SAFE_FOR_PROVIDERS);
  });

  it('are distinct for servers whose names clean to the same text or hold the separator [names-05]', () => {
    const pairs = [
      ['仓库', 'get'],
      ['港口', 'get'],
      ['a', 'b__c'],
      ['a__b', 'c'],
      ['my docs', 'get'],
    ] as const;
    const names = pairs.map(([server, name]) => exposedName(server, name));
    expect(new Set(names)).toHaveLength(5);
    for (const name of names) expect(name).toMatch(SAFE_FOR_PROVIDERS);
  });

  it('of one server never begin as those of another do', () => {
    const servers = ['a', 'a__b', 'a_', 'a_b', 'a.b', 'A', '', '_a', '1a', 'a'.repeat(41), exposedServerName('a.b')];
    const heads = servers.map(exposedNameHead);
    for (const [index, head] of heads.entries()) {
      const others = heads.filter((_other, position) => position !== index);
      expect(others.filter((other) => other.startsWith(head))).toEqual([]);
    }
  });

  it('cannot be chosen by a server to equal the made-up name of another tool', () => {
    const madeUp = exposedName('a', 'b.c');
    const forged = exposedName('a', madeUp.slice('a__'.length));
    expect(forged).not.toBe(madeUp);
    const server = exposedServerName('a.b');
    expect(exposedServerName(server)).not.toBe(server);
  });

  it('are injective, safe and at most 64 characters for any pair of names', () => {
    const tricky = fc.string({
      unit: fc.constantFrom('a', 'b', '_', '-', 'h', '.', '2', ' ', 'ä', '\ud800'),
      maxLength: 8,
    });
    const any = fc.oneof(tricky, fc.string({ unit: 'binary', maxLength: 200 }));
    const pair = fc.tuple(any, any);
    fc.assert(
      fc.property(pair, pair, (first, second) => {
        const names = [exposedName(...first), exposedName(...second)];
        for (const name of names) if (!SAFE_FOR_PROVIDERS.test(name)) return false;
        const same = first[0] === second[0] && first[1] === second[1];
        return same === (names[0] === names[1]);
      }),
      { numRuns: 5000 },
    );
  });

  it('are distinct for all short names over a small alphabet', () => {
    const letters = ['a', '_', '-', '.'];
    const words = [
      ...letters,
      ...letters.flatMap((x) => letters.map((y) => x + y)),
      ...letters.flatMap((x) => letters.flatMap((y) => letters.map((z) => x + y + z))),
    ];
    const seen = new Map<string, string>();
    for (const server of words) {
      for (const name of words) {
        const exposed = exposedName(server, name);
        expect(seen.get(exposed)).toBeUndefined();
        seen.set(exposed, JSON.stringify([server, name]));
      }
    }
    expect(seen.size).toBe(words.length ** 2);
  });
});

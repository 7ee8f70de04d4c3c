import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

import { checkLedger, withTests } from '../ledger/check-ledger.ts';
import {
  coverageOf,
  coverageOfRoles,
  formatCoverage,
  roleTable,
  untestedOf,
  withRoleTable,
} from '../ledger/coverage.ts';
import { formatLedger, type LedgerRow, parseLedger } from '../ledger/ledger-row.ts';
import { requirementIds } from '../ledger/requirements.ts';
import { findTaggedTests, tagsIn } from '../ledger/tagged-tests.ts';
import { root } from '../run.ts';

const tested: LedgerRow = {
  id: 'PAG-01',
  role: 'server',
  level: 'MAY',
  rule: 'four lists come in pages',
  status: 'tested',
  where: ['packages/server/test/pagination.test.ts'],
};
const later: LedgerRow = {
  ...omitWhere(tested),
  id: 'PAG-02',
  status: 'later',
  why: 'waits for the others',
  observable: false,
};
const { observable: _observable, ...shown } = later;
const tests = new Map([['PAG-01', ['packages/server/test/pagination.test.ts']]]);
const ids = ['PAG-01', 'PAG-02'];
const exists = (): boolean => true;

function omitWhere({ where: _where, ...row }: LedgerRow): LedgerRow {
  return row;
}

describe('the ledger of this workspace', () => {
  const text = readFileSync(join(root, 'docs/conformance/ledger.jsonl'), 'utf8');
  const rows = parseLedger(text);

  test('has a row for each of the 736 requirements', () => {
    expect(rows.map(({ id }) => id)).toEqual(requirementIds());
    expect(rows).toHaveLength(736);
  });

  test('says nothing that the tests do not hold', () => {
    expect(checkLedger(rows, requirementIds(), findTaggedTests(root), (file) => existsSync(join(root, file)))).toEqual(
      [],
    );
  });

  test('is stored as it would be written, and counted in the README as it is', () => {
    expect(formatLedger(rows)).toBe(text);
    const readme = readFileSync(join(root, 'docs/conformance/README.md'), 'utf8');
    expect(readme).toContain(`${roleTable(rows)}\n\n`);
    expect(readme).toContain(`each of the ${rows.length} requirements`);
  });
});

describe('a ledger', () => {
  test('without a fault passes', () => {
    expect(checkLedger([tested, later], ids, tests, exists)).toEqual([]);
  });

  test.each<[string, readonly LedgerRow[], ReadonlyMap<string, readonly string[]>, RegExp]>([
    ['that names a test without the id', [{ ...tested, where: ['other.test.ts'] }], tests, /does not name it/],
    ['whose tested row names no test', [{ ...tested, where: [] }], new Map(), /names no test file/],
    ['that lacks an id of a test', [later], tests, /PAG-01 is no requirement/],
    ['that calls what a test names later', [later], new Map([['PAG-02', ['a.test.ts']]]), /PAG-02 is later/],
    ['that holds an id twice', [tested, tested], tests, /stands twice/],
    ['that does not say why', [{ ...later, why: '' }], new Map(), /does not say why/],
    ['whose construction has no file', [{ ...later, status: 'by construction' }], new Map(), /names no file/],
    ['whose client the server tests alone', [{ ...tested, role: 'client' }], tests, /binds a client/],
    ['of a server that shows on the wire and is not tested', [shown], new Map(), /PAG-02 shows on the wire/],
    ['that lacks a requirement', [tested], tests, /PAG-02 has no row/],
    ['with a requirement that there is not', [tested, { ...later, id: 'PAG-99' }], tests, /PAG-99 is no requirement/],
    ['of a client that shows and is not tested', [{ ...shown, role: 'client' }], new Map(), /PAG-02 shows on the wire/],
    ['of both that shows and is not claimed', [{ ...shown, role: 'both', status: 'not claimed' }], new Map(), /shows/],
  ])('%s fails', (_, rows, named, problem) => {
    expect(checkLedger(rows, ids, named, exists).join('\n')).toMatch(problem);
  });

  test('that names a source which is gone fails', () => {
    const built: LedgerRow = { ...later, status: 'by construction', where: ['packages/server/src/gone.ts'] };
    expect(checkLedger([built], ['PAG-02'], new Map(), () => false)).toEqual([
      'PAG-02 is by construction in packages/server/src/gone.ts, which does not exist',
    ]);
  });

  test('becomes tested where a test names the id, and keeps what it says of all others', () => {
    const named = new Map([['PAG-02', ['a.test.ts', 'b.test.ts']]]);
    const [first, second] = withTests([tested, later], named);
    expect(first).toBe(tested);
    expect(second).toEqual({ ...omitWhere(tested), id: 'PAG-02', where: ['a.test.ts', 'b.test.ts'] });
  });

  test.each(['{}', '{"id":"x"}', JSON.stringify({ ...tested, status: 'done' })])('refuses the row %s', (line) => {
    expect(() => parseLedger(`${line}\n`)).toThrow('line 1');
  });

  test('is counted by area and as a whole', () => {
    expect(coverageOf([tested, later])).toEqual([
      { area: 'PAG', rows: 2, counts: { tested: 1, 'by construction': 0, later: 1, 'not claimed': 0 } },
    ]);
    expect(formatCoverage([tested, later])).toMatch(/^all +2 +1 +0 +1 +0$/m);
  });

  test('replaces the table by role in a document, and nothing else', () => {
    const document = 'Head\n\n| role | x |\n| --- | --- |\n| `AS` | 9 |\n\n| other | y |\n';
    expect(withRoleTable(document, [tested])).toBe(
      [
        'Head\n',
        '| role     | requirements | tested | by construction | later | not claimed |',
        '| -------- | -----------: | -----: | --------------: | ----: | ----------: |',
        '| `server` |            1 |      1 |               0 |     0 |           0 |',
        '\n| other | y |\n',
      ].join('\n'),
    );
  });

  test('is counted by role, with what shows and no test holds', () => {
    const client: LedgerRow = { ...shown, id: 'PAG-03', role: 'client' };
    expect(coverageOfRoles([tested, later, client])).toMatchObject([
      { role: 'server', rows: 2, counts: { tested: 1, later: 1 } },
      { role: 'client', rows: 1 },
    ]);
    const elsewhere: LedgerRow = { ...client, role: 'AS' };
    expect(untestedOf([tested, later, elsewhere])).toEqual([]);
    expect(formatCoverage([tested, later, elsewhere])).toMatch(/on the wire and not tested: none$/);
    expect(untestedOf([tested, shown, client])).toEqual(['PAG-02', 'PAG-03']);
    expect(formatCoverage([tested, shown])).toMatch(/: PAG-02$/);
  });
});

describe('the ids that a test file holds', () => {
  test.each<[string, string, readonly string[]]>([
    ['of a title', `test('[PAG-01] [PAG-02] cuts', () => {});`, ['PAG-01', 'PAG-02']],
    ['of a title in parts', 'it(`[PAG-01] over ${name}`, () => {});', ['PAG-01']],
    [
      'of a title that is a constant',
      `const rule = '[PAG-01] cuts'; it(rule, () => {}); it(rule + '2', () => {});`,
      ['PAG-01'],
    ],
    ['of a group', `describe('[PAG-01]', () => { it('cuts', () => {}); });`, ['PAG-01']],
    ['of rows', `it.each([['[PAG-01] a list', 1], ['[PAG-02] none', 0]])('cuts %s', () => {});`, ['PAG-01', 'PAG-02']],
    [
      'of rows that are a constant',
      `const rows = ['[PAG-01]']; it.each<string>(rows)('cuts %s', () => {});`,
      ['PAG-01'],
    ],
    ['of a test for some systems', `it.skipIf(isWindows)('[PAG-01] cuts', () => {});`, ['PAG-01']],
  ])('are those %s', (_, text, found) => {
    expect([...tagsIn(text)]).toEqual(found);
  });

  test.each([
    ['in a comment', `// [PAG-01]\n/* [PAG-01] */ it('cuts', () => {}); // [PAG-01]`],
    ['in a text that is no title', `const page = '[PAG-01]'; it('cuts', () => expect(page).toBe('[PAG-01]'));`],
    ['in rows that do not show in the title', `it.each([['[PAG-01]']])('cuts', () => {});`],
    ['in a helper without a test', `export const cursor = '[PAG-01]';`],
    ['of a test that is skipped', `it.skip('[PAG-01] cuts', () => {});`],
    ['of a test that is to be written', `test.todo('[PAG-01] cuts');`],
    ['of rows that are skipped', `it.skip.each(['[PAG-01]'])('%s', () => {});`],
    ['in a group that is skipped', `describe.skip('lists', () => { it('[PAG-01] cuts', () => {}); });`],
    ['beside a test that is run alone', `it('[PAG-01] cuts', () => {}); describe(() => { it.only('x', () => {}); });`],
  ])('are none %s', (_, text) => {
    expect([...tagsIn(text)]).toEqual([]);
  });
});

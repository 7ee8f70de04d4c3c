import { expect, test } from 'vitest';

import type { Check } from '../conformance/check.ts';
import type { KnownFailure } from '../conformance/known-failures.ts';
import { formatTally } from '../conformance/report.ts';
import type { Scenario } from '../conformance/scenario.ts';
import { tallyOutcomes } from '../conformance/tally.ts';

const server: Scenario = { role: 'server', revision: '2026-07-28', name: 'tools-list' };
const client: Scenario = { role: 'client', revision: '2026-07-28', name: 'tools_call' };
const planned = [server, client];

const entry: KnownFailure = {
  role: 'server',
  revision: '2026-07-28',
  scenario: 'tools-list',
  check: 'tools-list',
  reason: 'the names are too long',
};

function check(status: Check['status'], id = 'tools-list'): Check {
  return { id, status, message: `${id} says ${status}` };
}

test('counts checks that succeed and checks that fail, and nothing that was skipped or informs', () => {
  const checks = [check('SUCCESS'), check('SUCCESS'), check('FAILURE'), check('SKIPPED'), check('INFO')];
  const tally = tallyOutcomes([{ scenario: server, checks }], [], planned);
  expect(tally).toMatchObject({ passed: 2, failed: 1 });
  expect(tally.rows[0]?.findings).toEqual([
    { check: 'tools-list', message: 'tools-list says FAILURE', kind: 'failed' },
  ]);
});

test.for([{ checks: [] }, { checks: [check('SKIPPED'), check('INFO')] }])(
  'fails a scenario in which no check ran: $checks.length checks',
  ({ checks }) => {
    const { failed, rows } = tallyOutcomes([{ scenario: server, checks }], [], planned);
    expect(failed).toBe(1);
    expect(rows[0]?.findings).toEqual([{ check: 'run', message: 'the scenario ran no check', kind: 'failed' }]);
  },
);

test.for([
  { scenario: server, failed: 0, kind: 'warned' },
  { scenario: client, failed: 1, kind: 'failed' },
])('shows a warning, and counts it as a failure of a client only: $scenario.role', ({ scenario, failed, kind }) => {
  const tally = tallyOutcomes([{ scenario, checks: [check('SUCCESS'), check('WARNING')] }], [], planned);
  expect(tally).toMatchObject({ passed: 1, failed });
  expect(tally.rows[0]?.findings).toMatchObject([{ kind }]);
});

test('fails a scenario whose run failed, although its checks passed', () => {
  const outcome = { scenario: client, checks: [check('SUCCESS')], problem: 'the suite exited with 1' };
  expect(tallyOutcomes([outcome], [], planned)).toMatchObject({ passed: 1, failed: 1 });
});

test('does not count a known failure', () => {
  const tally = tallyOutcomes([{ scenario: server, checks: [check('FAILURE')] }], [entry], planned);
  expect(tally).toMatchObject({ passed: 0, failed: 0, stale: [] });
  expect(tally.rows[0]?.findings).toMatchObject([{ kind: 'known' }]);
});

test('counts other checks of the scenario of a known failure', () => {
  const checks = [check('FAILURE'), check('FAILURE', 'wire-schema-valid')];
  expect(tallyOutcomes([{ scenario: server, checks }], [entry], planned)).toMatchObject({ failed: 1, stale: [] });
});

test('fails the run for a known failure that passes', () => {
  const tally = tallyOutcomes([{ scenario: server, checks: [check('SUCCESS')] }], [entry], planned);
  expect(tally.failed).toBe(1);
  expect(tally.stale).toEqual(['server 2026-07-28 tools-list: tools-list passes now: remove it']);
});

test('says nothing about a known failure whose scenario was not selected', () => {
  expect(tallyOutcomes([{ scenario: client, checks: [check('SUCCESS')] }], [entry], planned).stale).toEqual([]);
});

test('fails the run for a known failure of a scenario that is in no plan', () => {
  const tally = tallyOutcomes([{ scenario: client, checks: [check('SUCCESS')] }], [entry], [client]);
  expect(tally.failed).toBe(1);
  expect(tally.stale).toEqual(['server 2026-07-28 tools-list: tools-list names no scenario that is run: remove it']);
});

test('prints a line for each scenario, each finding and each known failure', () => {
  const outcomes = [
    { scenario: server, checks: [check('FAILURE'), check('SUCCESS', 'wire-schema-valid')] },
    { scenario: client, checks: [check('FAILURE', 'tool-add-numbers')], clientOutput: '    it broke' },
  ];
  expect(formatTally(tallyOutcomes(outcomes, [entry], planned), [entry])).toBe(
    [
      'role    revision    scenario    passed  failed',
      'server  2026-07-28  tools-list       1       0',
      'client  2026-07-28  tools_call       0       1',
      '',
      'known  server 2026-07-28 tools-list: tools-list: tools-list says FAILURE',
      'FAILED client 2026-07-28 tools_call: tool-add-numbers: tool-add-numbers says FAILURE',
      '  standard error of the client:',
      '    it broke',
      '',
      'known failure server 2026-07-28 tools-list: tools-list: the names are too long',
    ].join('\n'),
  );
});

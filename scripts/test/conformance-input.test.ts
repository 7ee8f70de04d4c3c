import { expect, test } from 'vitest';

import { parseChecks } from '../conformance/check.ts';
import { parseKnownFailures } from '../conformance/known-failures.ts';
import { planScenarios } from '../conformance/scenario.ts';

const entry = { role: 'server', revision: '2026-07-28', scenario: 'ping', check: 'ping', reason: 'not there yet' };

test('reads the known failures', () => {
  expect(parseKnownFailures(JSON.stringify([entry]))).toEqual([entry]);
});

test.for([
  ['an object', {}],
  ['an entry without a reason', [{ ...entry, reason: '' }]],
  ['an entry without a check', [{ ...entry, check: undefined }]],
  ['an entry with a further member', [{ ...entry, until: '2027' }]],
  ['an unknown role', [{ ...entry, role: 'host' }]],
  ['an entry that stands twice', [entry, { ...entry, reason: 'once more' }]],
  ['null as an entry', [null]],
])('refuses known failures with %s', ([, value]) => {
  expect(() => parseKnownFailures(JSON.stringify(value))).toThrow(/known failure/);
});

test('reads the message of a check from what the suite wrote', () => {
  const written = [
    { id: 'a', status: 'FAILURE', name: 'A', description: 'does a', errorMessage: 'it did b' },
    { id: 'b', status: 'SUCCESS', name: 'B', description: 'does b' },
  ];
  expect(parseChecks(JSON.stringify(written))).toEqual([
    { id: 'a', status: 'FAILURE', message: 'it did b' },
    { id: 'b', status: 'SUCCESS', message: 'does b' },
  ]);
});

test.for([[{}], [[null]], [[{ id: 'a', status: 'PASSED' }]]])('refuses checks of another form: %j', ([value]) => {
  expect(() => parseChecks(JSON.stringify(value))).toThrow(/check/);
});

const listing = `Required for 2026-07-28:

Server scenarios (test against a server):
  - tools-list
  - input-required-result-multi-round

Client scenarios (test against a client):
  - auth/basic-cimd

Run and reported, but never scored:
  extension (2):
    - auth/dpop [client]
    - tasks-lifecycle [server]
    - tasks-status-notifications [server]
  pending (1):
    - json-schema-2020-12 [server]
`;

test('plans the server scenarios of the listing, scored or not, but for one that the suite always skips', () => {
  const names = planScenarios({ '2026-07-28': listing }).filter(({ role }) => role === 'server');
  expect(names.map(({ name }) => name)).toEqual([
    'tools-list',
    'input-required-result-multi-round',
    'tasks-lifecycle',
    'json-schema-2020-12',
  ]);
});

const older = `Server scenarios (test against a server):
  - ping [2025-06-18,2025-11-25]

Client scenarios (test against a client):
  - initialize [2025-06-18,2025-11-25]

Authorization server scenarios (test against an authorization server):
  - authorization-code-grant [2025-06-18]
`;

test('plans the scenarios of each revision for both roles, and none for an authorization server', () => {
  const planned = planScenarios({ '2026-07-28': listing, '2025-06-18': older });
  expect(planned.filter(({ revision }) => revision === '2025-06-18')).toEqual([
    { role: 'server', revision: '2025-06-18', name: 'ping' },
    { role: 'client', revision: '2025-06-18', name: 'initialize' },
  ]);
  expect(planned.filter(({ role, revision }) => role === 'client' && revision === '2026-07-28')).toEqual([
    { role: 'client', revision: '2026-07-28', name: 'auth/basic-cimd' },
    { role: 'client', revision: '2026-07-28', name: 'auth/dpop' },
  ]);
});

test('plans a client scenario that no revision has once more under all, and no other one', () => {
  const all = older.replace(
    '  - initialize [2025-06-18,2025-11-25]\n',
    (line) => `${line}  - sep-2640-client-no-prefetch [extension]\n`,
  );
  const planned = planScenarios({ '2025-06-18': older, all });
  expect(planned.filter(({ role, revision }) => role === 'client' && revision === 'all')).toEqual([
    { role: 'client', revision: 'all', name: 'sep-2640-client-no-prefetch' },
  ]);
});

test('refuses a listing that names no scenario of a role', () => {
  expect(() => planScenarios({ '2026-07-28': 'Usage: conformance list' })).toThrow(/lists no server scenario/);
  const servers = older.replaceAll('Client scenarios', 'Scenarios for clients');
  expect(() => planScenarios({ '2026-07-28': servers })).toThrow(/lists no client scenario/);
});

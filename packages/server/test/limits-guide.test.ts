import { readFileSync } from 'node:fs';

import { describe, expect, it } from 'vitest';

import { databaseRecordLimits } from '../../stores/src/record-store.ts';
import { DEFAULT_MAX_MESSAGE_BYTES } from '../src/dispatch/incoming.ts';
import { DEFAULT_TIMEOUT_MS } from '../src/http/admission.ts';
import { httpOptions } from '../src/http/http-options.ts';
import { DEFAULT_BODY_TIMEOUT_MS } from '../src/http/serve-post.ts';
import { legacyOptions } from '../src/legacy/legacy-clients.ts';
import { toLegacyLimits } from '../src/legacy/legacy-limits.ts';
import { DEFAULT_MAX_DEPTH } from '../src/limits/json-depth.ts';
import { openStreamDefaults } from '../src/limits/open-streams.ts';
import { toMaxRunning } from '../src/limits/running-limit.ts';
import { nodeHttpOptions } from '../src/node/node-http-options.ts';
import { DEFAULT_MAX_HEADER_BYTES, serveHttpOptions } from '../src/node/serve-http.ts';
import { stdioOptions } from '../src/node/stdio-options.ts';
import { DEFAULT_MAX_UNREAD_BYTES } from '../src/node/unread-responses.ts';
import { serverOptions, toServerLimits } from '../src/server-options.ts';
import { toTasksOptions } from '../src/tasks/tasks-options.ts';

const guide = readFileSync(new URL('../../../docs/guide/limits.md', import.meta.url), 'utf8');

const written = [...guide.matchAll(/^\|[^|]*\| `([^`]+)` +\| ([^|]*?) +\| ([^|]*?) +\|/gm)];

/** By name, what the guide says of the default. */
const rows = new Map(written.map(([, name = '', , value = '']) => [name, value]));

/** By name, whose option it is as the guide says; that of a store belongs to another package. */
const owners = written.flatMap(([, name = '', owner = '']) => (owner === 'the store' ? [] : [[name, owner] as const]));

/**
 * Whose option it is. What stands before a dot is one, and the names of `legacyClients` begin with the option that
 * takes what it makes.
 */
function ownersOf(name: string): string {
  const [option = '', member] = name.split('.');
  if (option === 'legacy') return Object.hasOwn(legacyOptions, member ?? '') ? 'legacyClients' : '';
  const takers = {
    createServer: serverOptions,
    serveHttp: serveHttpOptions,
    toNode: nodeHttpOptions,
    toFetch: httpOptions,
    serveStdio: stdioOptions,
  };
  return Object.entries(takers)
    .flatMap(([taker, options]) => (Object.hasOwn(options, option) ? [taker] : []))
    .join(', ');
}

const units = new Map([
  ['KiB', 1024],
  ['Mi', 1024 ** 2],
  ['MiB', 1024 ** 2],
  ['s', 1_000],
  ['minutes', 60_000],
  ['hour', 3_600_000],
  ['week', 604_800_000],
  ['days', 86_400_000],
]);

function toNumber(text: string | undefined): number | undefined {
  const [, digits, unit = ''] = /^([\d,]+) ?([A-Za-z]*)/.exec(text ?? '') ?? [];
  return digits === undefined ? undefined : Number(digits.replaceAll(',', '')) * (units.get(unit) ?? 1);
}

/** The members of an option, under the names that the guide and errors give them. */
function membersOf(option: string, limits: object): [string, unknown][] {
  return Object.entries(limits).map(([name, value]) => [`${option}.${name}`, value]);
}

const { pollIntervalMs: _interval, createId: _create, ...tasks } = toTasksOptions({});

const defaults: readonly (readonly [name: string, value: unknown])[] = [
  ['maxBodyBytes', DEFAULT_MAX_MESSAGE_BYTES],
  ['bodyTimeoutMs', DEFAULT_BODY_TIMEOUT_MS],
  ['maxUnreadBytes', DEFAULT_MAX_UNREAD_BYTES],
  ['maxLineBytes', DEFAULT_MAX_MESSAGE_BYTES],
  ['maxDepth', DEFAULT_MAX_DEPTH],
  ['maxHeaderBytes', DEFAULT_MAX_HEADER_BYTES],
  ['maxRunningRequests', toMaxRunning()],
  ['maxRecords', databaseRecordLimits.maxRecords],
  ['authenticateTimeoutMs', DEFAULT_TIMEOUT_MS],
  ...Object.entries(openStreamDefaults),
  ...Object.entries(toServerLimits({})),
  ...membersOf('tasks', tasks),
  ...membersOf('legacy', toLegacyLimits({})),
];

describe('the guide to limits', () => {
  it.each(owners)('says of %s whose option it is: %s', (name, owner) => {
    expect(owner).toBe(ownersOf(name));
    expect(owner).not.toBe('');
  });

  it.each(defaults)('says of %s what its default is: %d', (name, value) => {
    expect(toNumber(rows.get(name))).toBe(value);
  });

  it('names every option of serving that is a limit', () => {
    const known = Object.keys({ ...nodeHttpOptions, ...stdioOptions });
    const missing = known.filter((name) => /^max|[tT]imeoutMs$/.test(name) && !rows.has(name));
    expect(missing).toEqual([]);
  });
});

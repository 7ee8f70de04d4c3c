import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

import { compareReports } from '../api/compare-reports.ts';
import { readReports } from '../api/read-reports.ts';

const stored = new Map([['server.api.md', 'export function createServer(): Server;\nexport class ToolError {}\n']]);

test('the same surface has no differences', () => {
  expect(compareReports(stored, new Map(stored))).toEqual([]);
});

test('a changed surface shows the lines that are gone and new', () => {
  const made = new Map([
    ['server.api.md', 'export function createServer(name: string): Server;\nexport class ToolError {}\n'],
  ]);
  expect(compareReports(stored, made)).toEqual([
    'etc/server.api.md is not the surface of the source; npm run api writes it anew',
    '  - export function createServer(): Server;',
    '  + export function createServer(name: string): Server;',
  ]);
});

test('lines in another order are a difference, too', () => {
  const made = new Map([['server.api.md', 'export class ToolError {}\nexport function createServer(): Server;\n']]);
  expect(compareReports(stored, made)).toHaveLength(1);
});

test('an entry point without a report and a report without an entry point are differences', () => {
  expect(compareReports(stored, new Map([['client.api.md', '']]))).toEqual([
    'etc/client.api.md is missing; npm run api writes it anew',
    'etc/server.api.md is of no entry point; npm run api writes it anew',
  ]);
});

test('reports are read from a folder, other files are not, and no folder holds none', () => {
  const folder = mkdtempSync(join(tmpdir(), 'switchyard-reports-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'server.api.md'), 'text');
  writeFileSync(join(folder, 'notes.md'), 'text');
  expect(readReports(folder)).toEqual(new Map([['server.api.md', 'text']]));
  expect(readReports(join(folder, 'none'))).toEqual(new Map());
});

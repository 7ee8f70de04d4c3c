import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { Client } from '@switchyard/client';
import { connectInMemory } from '@switchyard/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';

import { createLogs, readLog } from '../src/logs.ts';

let root: string;
let client: Client;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'logs-'));
  await mkdir(join(root, 'web'));
  client = await connectInMemory(createLogs(root));
});

afterEach(async () => {
  await client.close();
  await rm(root, { recursive: true });
});

test('a log of any length is read whole, segment by segment', async () => {
  const text = 'GET /käse 200\n'.repeat(20_000);
  await writeFile(join(root, 'web', '2026-11-30.log'), text);
  const parts: string[] = [];
  for await (const part of readLog(client, 'logs://web/2026-11-30')) parts.push(part);
  expect(parts.join('')).toBe(text);
  expect(parts.length).toBe(Math.ceil(Buffer.byteLength(text) / 65_536));
});

test.each([
  'logs://db/2026-11-30',
  'logs://web/..',
  'logs://web/2026-13-01',
  'logs://web/2026-11-29',
  'logs://..%2Fweb/2026-11-30',
])('what is no log is no resource: %s', async (uri) => {
  await expect(client.readResource(uri)).rejects.toMatchObject({ code: -32602 });
});

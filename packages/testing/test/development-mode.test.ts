import { createServer, type Logger } from '@switchyard/server';
import { describe, expect, it } from 'vitest';

import { connectInMemory } from '../src/index.ts';

async function warningsOf(revision: '2026-07-28' | '2025-11-25', development?: boolean): Promise<readonly string[]> {
  const warnings: string[] = [];
  const ignore = (): void => undefined;
  const logger: Logger = { info: ignore, error: ignore, warn: (_fields, message) => warnings.push(message) };
  const server = createServer(
    { name: 'forgetful', version: '1.0.0' },
    { logger, ...(development === undefined ? {} : { development }) },
  );
  server.tool('forget', { description: 'Awaits nothing' }, (_args, ctx) => {
    void ctx.step('lost', () => Promise.reject(new Error('nobody hears of it')));
    return new Promise<string>((resolve) => setImmediate(() => resolve('done')));
  });
  const client = await connectInMemory(server, { revision });
  expect(await client.callTool('forget')).toMatchObject({ content: [{ text: 'done' }] });
  await client.close();
  return warnings;
}

describe.each(['2026-07-28', '2025-11-25'] as const)('a server in memory at %s', (revision) => {
  it('is in development mode', async () => {
    expect(await warningsOf(revision)).toContain('work failed that nobody awaited: await it');
  });

  it('is not when its options say so', async () => {
    expect(await warningsOf(revision, false)).toEqual([]);
  });
});

import { consoleLogger, createServer, type ServerOptions, silentLogger, toFetch } from '@switchyard/server';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { postOf } from './http-route.ts';
import { openMemory } from './memory-route.ts';
import { callOf } from './wire.ts';

const printed: string[] = [];
beforeEach(() => {
  for (const method of ['log', 'info', 'warn', 'error'] as const)
    vi.spyOn(console, method).mockImplementation((...args: unknown[]) => void printed.push(args.map(String).join(' ')));
});
afterEach(() => {
  vi.restoreAllMocks();
  printed.length = 0;
});

function createFailing(options: ServerOptions = {}) {
  return createServer({ name: 'failing', version: '1.0.0' }, { createReference: () => 'ref-1', ...options }).tool(
    'boom',
    {},
    () => {
      throw new Error('the table is missing', { cause: new Error('no such file') });
    },
  );
}

describe('a server to which nobody gave a logger', () => {
  it.each<[string, (server: ReturnType<typeof createFailing>) => Promise<unknown>]>([
    ['respond', (server) => openMemory(server).call('boom')],
    [
      'toFetch',
      (server) => {
        const { headers = {}, body = '' } = postOf(callOf('boom'));
        return toFetch(server)(
          new Request('http://localhost/mcp', { method: 'POST', headers: { ...headers }, body: String(body) }),
        );
      },
    ],
  ])('prints why a handler failed, once, with the stack and the reference of the answer: %s', async (_, call) => {
    await call(createFailing());
    expect(printed).toHaveLength(1);
    expect(printed[0]).toMatch(
      /^\[switchyard\] error: tool failed \{"reference":"ref-1","method":"tools\/call","name":"boom"\}\nError: the table is missing\n +at [^]*\ncaused by: Error: no such file\n/,
    );
  });

  it('prints nothing of requests', async () => {
    await openMemory(createFailing({ logRequests: 'all' })).request('tools/list', {});
    expect(printed).toEqual([]);
  });

  it('prints nothing at all with the silent logger', async () => {
    await openMemory(createFailing({ logger: silentLogger })).call('boom');
    expect(printed).toEqual([]);
  });
});

describe('the logger of last resort', () => {
  it('writes control characters as escapes, and at most 16,000 characters', () => {
    consoleLogger.error({ err: new Error('\u001b[2J\u0007\r') }, 'failed');
    expect(printed[0]).toContain('\\u001b[2J\\u0007\\u000d');
    consoleLogger.warn({ err: 'x'.repeat(100_000) }, 'failed');
    expect(printed[1]?.length).toBeLessThanOrEqual(16_000);
  });

  it('ends with causes that have no end', () => {
    const error = new Error('round');
    error.cause = error;
    consoleLogger.error({ err: error }, 'failed');
    expect(printed[0]?.match(/caused by/g)).toHaveLength(5);
  });
});

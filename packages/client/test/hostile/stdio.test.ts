import type { CallToolResult } from '@switchyard/protocol';
import { afterEach, describe, expect, it } from 'vitest';
import { isProcessRunning } from '../../../guards/test/is-process-running.ts';
import type { Client, ClientErrorCode, ClientWarning, ConnectOptions } from '../../src/index.ts';
import { connect } from '../../src/node/index.ts';
import { fixture } from '../fixture-command.ts';
import { expectAccepted, growthDuring, impatient, expectRefused } from './outcome.ts';

const clients: Client[] = [];
const warnings: ClientWarning[] = [];

afterEach(async () => {
  warnings.length = 0;
  await Promise.all(clients.splice(0).map((client) => client.close()));
});

// A process takes its time to start on a busy machine; a call does not.
const options: ConnectOptions = {
  ...impatient,
  startTimeoutMs: 20_000,
  probeTimeoutMs: 10_000,
  onWarning: (warning) => warnings.push(warning),
};

async function open(behaviour: string, more: ConnectOptions = {}): Promise<Client> {
  const client = await connect(fixture('hostile-server', behaviour), { ...options, ...more });
  clients.push(client);
  return client;
}

function textOf({ content: [block] }: CallToolResult): string {
  return block?.type === 'text' ? block.text : '';
}

const ended: readonly ClientErrorCode[] = ['closed', 'outcome-unknown'];
const late: readonly ClientErrorCode[] = ['timeout'];

const hostile: readonly (readonly [string, string, readonly ClientErrorCode[]])[] = [
  ['never answers', 'silent', late],
  ['logs on stdout without end', 'junk-on-stdout', late],
  ['writes bytes on stdout that are no text', 'binary-on-stdout', late],
  ['writes a line of 100 MB', 'line-of-100-mb', [...late, 'too-large']],
  ['writes a line without end', 'endless-line', [...late, 'too-large']],
  ['floods stderr', 'stderr-flood', late],
  ['writes a line on stderr without end', 'stderr-endless-line', late],
  ['ends in the middle of its answer', 'exit-mid-answer', ended],
  ['ends silently with exit code 0', 'exit-silently', ended],
  ['crashes', 'crash', ended],
  ['ends by a signal of its own', 'abort-signal', ended],
  ['closes its stdout', 'close-stdout', [...late, ...ended]],
  ['closes its stdin', 'close-stdin', [...late, ...ended]],
  ['ignores SIGTERM', 'ignore-sigterm', late],
  ['forks a child that ignores SIGTERM', 'forks', late],
  ['writes half a line', 'half-line', late],
  ['writes two answers in one line', 'two-in-a-line', [...late, 'invalid-response']],
  ['breaks its answer over lines', 'pretty', [...late, 'invalid-response']],
  ['frames its answer with Content-Length', 'content-length', late],
  ['writes UTF-16', 'utf-16', [...late, 'invalid-response']],
  ['says back what it was sent', 'echo', late],
  ['floods notifications', 'notification-flood', late],
  ['floods requests', 'request-flood', late],
  ['spins for ever', 'busy-loop', late],
];

describe('a server on stdio that', () => {
  it.each(hostile)(
    '%s fails the call in time, by name, and is gone when it is closed',
    async (_name, behaviour, codes) => {
      const client = await open(behaviour, { maxMessageBytes: 1_000_000 });
      const pid = Number(textOf(await client.callTool('pid', {}, { timeoutMs: 10_000, maxTimeoutMs: 10_000 })));
      const growth = await growthDuring(() => expectRefused(client.callTool('t'), codes[0] ?? 'timeout', ...codes));
      expect(growth).toBeLessThan(64 * 1024 * 1024);
      expect(warnings.length).toBeLessThanOrEqual(2_001);
      for (const { message } of warnings.slice(0, 50)) expect(message).toContain('MCP server "depot"');
      await client.close();
      expect(isProcessRunning(pid)).toBe(false);
    },
    30_000,
  );

  it.each(['exit-silently', 'crash', 'close-stdout'])(
    '%s is started again for the next call',
    async (behaviour) => {
      const client = await open(behaviour);
      const patient = { timeoutMs: 10_000, maxTimeoutMs: 10_000 };
      await expectRefused(client.callTool('t', {}, patient), 'closed', 'outcome-unknown');
      expect(textOf(await client.callTool('works', {}, patient))).toBe('right');
    },
    30_000,
  );

  it.each<[string, string, readonly ClientErrorCode[]]>([
    ['prints a banner and no more', 'banner-only', ['timeout', 'version']],
    ['ends at once with exit code 0', 'exit-at-once', ['start-failed']],
    ['is silent from the start', 'silent-from-the-start', ['timeout', 'version', 'start-failed']],
  ])(
    '%s fails to connect in time, by name',
    async (_name, behaviour, codes) => {
      const times = behaviour === 'exit-at-once' ? {} : { startTimeoutMs: 500, probeTimeoutMs: 100 };
      const error = await expectRefused(open(behaviour, times), codes[0] ?? 'timeout', ...codes);
      if (behaviour === 'exit-at-once') expect(error.message).toContain('no licence found');
    },
    30_000,
  );

  it('answers before it is asked is heard when it is asked', async () => {
    const client = await open('writes-before-it-is-asked');
    const patient = { timeoutMs: 10_000, maxTimeoutMs: 10_000 };
    expect(textOf(await expectAccepted(client.callTool('works', {}, patient)))).toBe('right');
    expect(warnings.length).toBeLessThanOrEqual(1_000);
  }, 30_000);
});

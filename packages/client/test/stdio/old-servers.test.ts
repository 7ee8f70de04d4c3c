import { afterEach, describe, expect, it } from 'vitest';
import type { Client, ClientWarning } from '../../src/index.ts';
import { connect } from '../../src/node/index.ts';
import { fixture } from '../fixture-command.ts';

const clients: Client[] = [];
const warnings: ClientWarning[] = [];

afterEach(async () => {
  warnings.length = 0;
  await Promise.all(clients.splice(0).map((client) => client.close()));
});

const once = ['initialize', 'notifications/initialized', 'tools/call'];
const probedFirst = ['server/discover', ...once];

describe('an old server on stdio', () => {
  it.each([
    { onProbe: 'hang', methods: probedFirst, codes: [] },
    { onProbe: 'refuse', methods: probedFirst, codes: [] },
    { onProbe: 'junk', methods: probedFirst, codes: ['junk-output', 'junk-output'] },
    { onProbe: 'junk-and-refuse', methods: probedFirst, codes: ['junk-output'] },
    { onProbe: 'no-id', methods: probedFirst, codes: ['peer-error'] },
    { onProbe: 'late', methods: probedFirst, codes: [] },
    // These are started again, and get initialize alone.
    { onProbe: 'exit-1', methods: once, codes: [] },
    { onProbe: 'junk-and-exit-1', methods: once, codes: ['junk-output'] },
    { onProbe: 'abort', methods: once, codes: [] },
  ])(
    '[STDIO-18] [STDIO-19] [VER-16] is reached whatever it makes of the probe: $onProbe',
    async ({ onProbe, methods, codes }) => {
      const client = await connect(fixture('old-server', onProbe), {
        name: 'depot',
        probeTimeoutMs: 300,
        onWarning: (warning) => warnings.push(warning),
      });
      clients.push(client);
      expect(client).toMatchObject({ era: 'legacy', revision: '2025-11-25' });
      const [block] = (await client.callTool('received')).content;
      const lines = JSON.parse(block?.type === 'text' ? block.text : '[]') as string[];
      expect(lines.map((line) => (JSON.parse(line) as { method: string }).method)).toEqual(methods);
      expect(warnings.map(({ code }) => code)).toEqual(codes);
    },
  );
});

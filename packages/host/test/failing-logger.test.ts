import type { Logger } from '@switchyard/protocol';
import { createScriptedServer, toolDefinition } from '@switchyard/testing';
import { describe, expect, it } from 'vitest';
import { open } from './open-for-test.ts';
import { auditTrail } from './open-test-host.ts';

function fail(): never {
  throw new Error('the disk is full');
}

const broken: Logger = { info: fail, warn: fail, error: fail };

describe('a logger that throws', () => {
  it('costs no call its answer or its records, and no server its place', async () => {
    const shop = createScriptedServer({
      tools: [toolDefinition('ping'), toolDefinition('left_out', { inputSchema: { type: 'object', $ref: 5 } })],
    });
    const gone = { respond: () => Promise.reject(new Error('lost')) };
    const host = await open({ shop, gone }, {}, { logger: broken });
    const agent = host.as('reader');
    expect((await agent.tools()).tools.map(({ name }) => name)).toEqual(['shop__ping']);
    expect(await agent.call('shop__ping')).toMatchObject({ content: [{ text: 'called ping' }] });
    expect(await agent.call('gone__ping')).toMatchObject({ isError: true });
    await expect(agent.call('shop__absent')).rejects.toMatchObject({ code: -32602 });
    expect(await auditTrail(host)).toEqual([
      'intent shop ping',
      'outcome shop ping',
      'refused unavailable gone ping',
      'refused unknown shop absent',
    ]);
  });

  it('is tried once more with what went wrong as text, where only that could not be written', async () => {
    const lines: unknown[] = [];
    const write = (fields: object): void => {
      if ('err' in fields && typeof fields.err !== 'string') throw new Error('cannot be serialised');
      lines.push(fields);
    };
    const gone = { respond: () => Promise.reject(new Error('lost')) };
    const host = await open({ gone }, {}, { logger: { info: write, warn: write, error: write } });
    await host.as('reader').tools();
    expect(lines).toContainEqual({ server: 'gone', err: expect.stringContaining('MCP server "gone"') as string });
  });
});

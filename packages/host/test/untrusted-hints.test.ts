import { createScriptedServer, toolDefinition } from '@switchyard/testing';
import { describe, expect, it } from 'vitest';
import { verdictMetaKey } from '../src/call/verdict.ts';
import { open } from './open-for-test.ts';
import { everything } from './open-test-host.ts';

describe('what a server says of itself', () => {
  it('[TOOL-15] opens no way: annotations of a tool change no verdict', async () => {
    const hints = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };
    const server = createScriptedServer({ tools: [toolDefinition('t', { annotations: hints }), toolDefinition('u')] });
    const agents = { asks: { ask: ['*'] }, none: {} };
    const host = await open({ s: server }, { agents });
    for (const name of ['s__t', 's__u']) {
      expect((await host.as('asks').call(name))._meta?.[verdictMetaKey]).toMatchObject({ reason: 'approval-required' });
      await expect(host.as('none').call(name)).rejects.toMatchObject({ code: -32602 });
    }
    expect(server.paramsOf('tools/call')).toEqual([]);
  });

  it('[CACHE-09] [CACHE-17] of how long a resource is fresh lends its contents to no other read', async () => {
    const server = createScriptedServer({
      resources: ['a', 'b'].map((name) => ({ uri: `x://${name}`, name })),
      answer: (method, { uri }) =>
        method === 'resources/read'
          ? { contents: [{ uri, text: `contents of ${String(uri)}` }], ttlMs: 3_600_000, cacheScope: 'public' }
          : undefined,
    });
    const host = await open({ s: server }, { agents: { one: everything, other: everything, none: {} } });
    for (const agent of ['one', 'other']) {
      for (const uri of ['x://a', 'x://b']) {
        expect(await host.as(agent).read(uri)).toMatchObject({ contents: [{ uri, text: `contents of ${uri}` }] });
      }
    }
    await expect(host.as('none').read('x://a')).rejects.toMatchObject({ code: -32602 });
    expect(server.paramsOf('resources/read').map(({ uri }) => uri)).toEqual(['x://a', 'x://b', 'x://a', 'x://b']);
  });
});

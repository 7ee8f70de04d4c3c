import { createScriptedServer, toolDefinition } from '@switchyard/testing';
import { describe, expect, it } from 'vitest';
import { rest } from './manual-clock.ts';
import { open } from './open-for-test.ts';
import { openTestHost } from './open-test-host.ts';

describe('the host', () => {
  it('refuses an agent that is not configured and names those that are', async () => {
    const host = await open({}, { agents: { reader: {}, writer: {} } });
    expect(() => host.as('admin')).toThrow(/"admin".*reader, writer/);
    for (const name of ['toString', '__proto__', '']) expect(() => host.as(name)).toThrow(/no agent/);
    expect(host.agents).toEqual(['reader', 'writer']);
  });

  it.each(['taken', 'off', '', 'a/b', 'a:b', 'a*', ' a', 'a\n', 'x'.repeat(65)])(
    'refuses to mount a server as %j',
    async (name) => {
      const host = await open(
        { taken: createScriptedServer({}) },
        { mcpServers: { off: { command: 'node', disabled: true } } },
      );
      expect(() => host.mount(name, createScriptedServer({}))).toThrow(/the server name .* must|already/s);
      expect(host.servers().map(({ name: server, state }) => [server, state])).toContainEqual(['off', 'disabled']);
    },
  );

  it('takes a server that is mounted later into catalog and policies', async () => {
    const host = await open({}, { agents: { reader: { allow: ['*'], deny: ['my docs__*'] } } });
    const agent = host.as('reader');
    expect((await agent.tools()).tools).toEqual([]);
    host.mount('late', createScriptedServer({ tools: [toolDefinition('t')] }));
    host.mount('my docs', createScriptedServer({ tools: [toolDefinition('get')] }));
    expect((await agent.tools()).tools.map(({ name }) => name)).toEqual(['late__t']);
  });

  it('ends what runs when it is closed, records its outcome, and takes no more', async () => {
    const server = createScriptedServer({
      tools: [toolDefinition('t')],
      answer: (method) => (method === 'tools/call' ? new Promise(() => undefined) : undefined),
    });
    const host = await openTestHost({ server });
    const agent = host.as('reader');
    await agent.tools();
    const call = agent.invoke({ method: 'tools/call', params: { name: 'server__t' } });
    await rest();
    await Promise.all([host.close(), host.close()]);
    expect(await call).toMatchObject({ kind: 'failed', verdict: { reason: 'unavailable' } });
    expect(await agent.invoke({ method: 'tools/call', params: { name: 'server__t' } })).toMatchObject({
      kind: 'refused',
    });
    expect(() => host.as('reader')).toThrow(/closed/);
    await expect(host.audit.list()).rejects.toMatchObject({ code: 'audit' });
  });

  it('shows each agent’s policy as Cedar', async () => {
    const host = await open({}, { agents: { reader: { allow: ['a__*'] } } });
    expect(host.as('reader').policy).toContain('resource.name like "a__*"');
  });
});

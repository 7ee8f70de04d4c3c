import { createScriptedServer, toolDefinition } from '@switchyard/testing';
import { describe, expect, it } from 'vitest';
import { down, toolNames } from './catalog-servers.ts';
import { createManualClock } from './manual-clock.ts';
import { open } from './open-for-test.ts';

describe('one tool', () => {
  it('is answered while another server hangs, and before anything was listed', async () => {
    const clock = createManualClock();
    const hanging = createScriptedServer({ answer: () => new Promise(() => undefined) });
    const definition = toolDefinition('t', {
      description: 'does it',
      inputSchema: { type: 'object', properties: { a: {} } },
    });
    const host = await open({ hanging, ok: createScriptedServer({ tools: [definition] }) }, {}, clock);
    expect(await host.as('reader').tool('ok__t')).toEqual({
      ...definition,
      name: 'ok__t',
      server: 'ok',
      originalName: 't',
    });
  });

  it('that is known asks no server anything, fresh or not', async () => {
    const server = createScriptedServer({ tools: [toolDefinition('t')] });
    const host = await open({ server });
    const listed = (await host.as('reader').tools()).tools[0];
    const asked = server.requests.length;
    expect(await host.as('reader').tool('server__t')).toBe(listed);
    expect(server.requests).toHaveLength(asked);
  });

  it('that was added since is found, and guessing names does not have the list read each time', async () => {
    const clock = createManualClock();
    const server = createScriptedServer({ tools: [toolDefinition('t')] });
    const host = await open({ server }, {}, clock);
    await host.as('reader').tools();
    server.script.tools = [toolDefinition('t'), toolDefinition('u')];
    const lists = server.paramsOf('tools/list').length;
    for (let guess = 0; guess < 5; guess += 1) expect(await host.as('reader').tool('server__u')).toBeUndefined();
    expect(server.paramsOf('tools/list')).toHaveLength(lists);
    await clock.advance(1000);
    expect(await host.as('reader').tool('server__u')).toMatchObject({ originalName: 'u' });
  });

  it('out of the agent’s reach, of no server, or of one that is away is undefined', async () => {
    const agents = { reader: { allow: ['ok__*', 'dead__*'], deny: ['ok__secret'] } };
    const ok = createScriptedServer({ tools: [toolDefinition('t'), toolDefinition('secret')] });
    const host = await open(
      { ok, dead: down(), other: createScriptedServer({ tools: [toolDefinition('t')] }) },
      { agents },
    );
    for (const name of ['ok__secret', 'ok__unknown', 'other__t', 'dead__t', 'nowhere', '']) {
      expect(await host.as('reader').tool(name)).toBeUndefined();
    }
    expect(await host.as('reader').tool('ok__t')).toMatchObject({ name: 'ok__t' });
  });

  it('is given up with the reason of the signal', async () => {
    const hanging = createScriptedServer({ answer: () => new Promise(() => undefined) });
    const host = await open({ hanging }, {}, createManualClock());
    const controller = new AbortController();
    const asking = host.as('reader').tool('hanging__t', { signal: controller.signal });
    controller.abort(new Error('enough'));
    await expect(asking).rejects.toThrow('enough');
  });
});

describe('the freshness of a catalog', () => {
  it('is what the server says: it is read again when it has passed, not before', async () => {
    const clock = createManualClock();
    const server = createScriptedServer({ tools: [toolDefinition('t')], ttlMs: 5000 });
    const host = await open({ server }, {}, clock);
    await toolNames(host);
    server.script.tools = [toolDefinition('t'), toolDefinition('u')];
    expect(await toolNames(host)).toEqual(['server__t']);
    await clock.advance(5000);
    expect(await toolNames(host)).toEqual(['server__t', 'server__u']);
    expect(server.paramsOf('tools/list')).toHaveLength(2);
  });

  it('does not keep a tool from being called that was added since, and guessing names does not have it read each time', async () => {
    const clock = createManualClock();
    const server = createScriptedServer({ tools: [toolDefinition('t')] });
    const host = await open({ server }, {}, clock);
    await toolNames(host);
    server.script.tools = [toolDefinition('t'), toolDefinition('u')];
    const lists = server.paramsOf('tools/list').length;
    for (let guess = 0; guess < 5; guess += 1) {
      await expect(host.as('reader').call('server__u')).rejects.toMatchObject({ code: -32602 });
    }
    expect(server.paramsOf('tools/list')).toHaveLength(lists);
    await clock.advance(1000);
    expect(await host.as('reader').call('server__u')).toMatchObject({ content: [{ text: 'called u' }] });
  });

  it('is not asked about twice at the same time', async () => {
    const server = createScriptedServer({ tools: [toolDefinition('t')] });
    const host = await open({ server });
    await Promise.all(Array.from({ length: 10 }, () => toolNames(host)));
    expect(server.paramsOf('tools/list').length).toBeLessThanOrEqual(2);
  });
});

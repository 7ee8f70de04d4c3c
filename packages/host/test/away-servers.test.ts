import { ProtocolError } from '@switchyard/protocol';
import { createScriptedServer, toolDefinition } from '@switchyard/testing';
import { describe, expect, it } from 'vitest';
import { down, toolNames } from './catalog-servers.ts';
import { createManualClock } from './manual-clock.ts';
import { open } from './open-for-test.ts';

describe('a server that is away', () => {
  it('hides nobody else’s tools, and is reported with its name', async () => {
    const host = await open({ dead: down(), ok: createScriptedServer({ tools: [toolDefinition('t')] }) });
    const listed = await host.as('reader').tools();
    expect(listed.tools.map(({ name }) => name)).toEqual(['ok__t']);
    expect(listed.unavailable).toMatchObject([{ server: 'dead', message: expect.stringContaining('"dead"') }]);
    expect(host.servers()).toMatchObject([
      { name: 'dead', state: 'unavailable', error: { message: expect.stringContaining('"dead"') } },
      { name: 'ok', state: 'ready', tools: 1, era: 'modern', revision: '2026-07-28' },
    ]);
  });

  it('delays a list by its start timeout at most when it hangs, and by nothing while it is known to be away', async () => {
    const clock = createManualClock();
    const hanging = createScriptedServer({ answer: () => new Promise(() => undefined) });
    const ok = createScriptedServer({ tools: [toolDefinition('t')] });
    const host = await open({ hanging, ok }, { limits: { startTimeoutMs: 3000 } }, clock);
    expect(host.servers().map(({ state }) => state)).toEqual(['starting', 'starting']);
    const listing = host.as('reader').tools();
    await clock.advance(3000);
    const listed = await listing;
    expect(listed.tools.map(({ name }) => name)).toEqual(['ok__t']);
    expect(listed.unavailable.map(({ server }) => server)).toEqual(['hanging']);
    expect((await host.as('reader').tools()).tools).toHaveLength(1);
  });

  it('does not keep a call to another server waiting', async () => {
    const clock = createManualClock();
    const hanging = createScriptedServer({ answer: () => new Promise(() => undefined) });
    const host = await open({ hanging, ok: createScriptedServer({ tools: [toolDefinition('t')] }) }, {}, clock);
    expect(await host.as('reader').call('ok__t')).toMatchObject({ content: [{ text: 'called t' }] });
  });

  it('is tried again on use after a back-off that grows, and never in between', async () => {
    const clock = createManualClock();
    const dead = down();
    const host = await open({ dead }, {}, clock);
    const attempts = () => dead.paramsOf('server/discover').length;
    await host.as('reader').tools();
    const first = attempts();
    for (const wait of [1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000]) {
      const before = attempts();
      await clock.advance(wait - 1);
      for (let use = 0; use < 5; use += 1) await host.as('reader').tools();
      expect(attempts()).toBe(before);
      await clock.advance(1);
      await host.as('reader').tools();
      expect(attempts()).toBe(before + first);
    }
    await clock.advance(3_600_000);
    expect(attempts()).toBe(9 * first);
  });

  it('comes back with its tools once it answers', async () => {
    const clock = createManualClock();
    const server = createScriptedServer({
      tools: [toolDefinition('t')],
      answer() {
        throw new ProtocolError('internalError', 'booting');
      },
    });
    const host = await open({ server }, {}, clock);
    expect(await toolNames(host)).toEqual([]);
    delete server.script.answer;
    await clock.advance(1000);
    expect(await toolNames(host)).toEqual(['server__t']);
    expect(host.servers()).toMatchObject([{ state: 'ready' }]);
  });

  it('keeps its last known catalog in the lists', async () => {
    const server = createScriptedServer({ tools: [toolDefinition('t')] });
    const host = await open({ server });
    expect(await toolNames(host)).toEqual(['server__t']);
    server.respond = () => Promise.reject(new Error('gone'));
    const listed = await host.as('reader').tools();
    expect(listed.tools.map(({ name }) => name)).toEqual(['server__t']);
    expect(listed.unavailable).toMatchObject([{ server: 'server' }]);
    expect(host.servers()).toMatchObject([{ state: 'unavailable', tools: 1 }]);
  });
});

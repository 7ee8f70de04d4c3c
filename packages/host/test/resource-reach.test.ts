import type { ProtocolError } from '@switchyard/protocol';
import { createScriptedServer } from '@switchyard/testing';
import { describe, expect, it } from 'vitest';
import type { Host } from '../src/host.ts';
import { createManualClock } from './manual-clock.ts';
import { open } from './open-for-test.ts';
import { everything } from './open-test-host.ts';
import { listing } from './resource-servers.ts';

describe('a resource out of the agent’s reach', () => {
  const readOf = (host: Host, uri: string, agent = 'reader') =>
    host.as(agent).invoke({ method: 'resources/read', params: { uri } });

  it('is a denial for this process and the audit, also where its server was never asked before', async () => {
    const agents = { reader: { allow: ['notes__*'], deny: ['resource:notes:*'] } };
    const host = await open({ notes: listing('note://one') }, { agents });
    expect(await readOf(host, 'note://one')).toMatchObject({
      kind: 'refused',
      verdict: { reason: 'denied', server: 'notes', details: { policies: ['deny[0]'] } },
    });
    expect(await readOf(host, 'note://two')).toMatchObject({ verdict: { reason: 'unknown' } });
    expect((await host.audit.list()).map(({ reason, server, name }) => [reason, server, name])).toEqual([
      ['denied', 'notes', 'note://one'],
      ['unknown', undefined, 'note://two'],
    ]);
  });

  it('that several servers have is a denial as well', async () => {
    const host = await open({ a: listing('doc://2'), b: listing('doc://2') }, { agents: { reader: {} } });
    expect(await readOf(host, 'doc://2')).toMatchObject({ verdict: { reason: 'denied' } });
  });

  it('waits for a server that never answers no longer than a list does, and not again after that', async () => {
    const clock = createManualClock();
    const hanging = createScriptedServer({ answer: () => new Promise(() => undefined) });
    const host = await open({ hanging }, { agents: { reader: {} }, limits: { startTimeoutMs: 3000 } }, clock);
    const first = readOf(host, 'note://one');
    await clock.advance(3000);
    expect(await first).toMatchObject({ verdict: { reason: 'unknown' } });
    expect(await readOf(host, 'note://one')).toMatchObject({ verdict: { reason: 'unknown' } });
  });

  it('waits for nobody where its URI names a server that is still silent, as where it names none', async () => {
    const { promise: never } = Promise.withResolvers<never>();
    const clock = createManualClock();
    const host = await open(
      { hidden: { respond: () => never }, a: listing('doc://1') },
      { agents: { reader: { allow: ['resource:a:*'] } } },
      clock,
    );
    for (const server of ['hidden', 'nobody']) {
      // No time passes by the host's clock, so whoever is waited for keeps the answer away for ever.
      for (const uri of [`mcp://${server}/doc%3A%2F%2F1`, `mcp://${server}/+/doc://{id}`]) {
        await expect(host.as('reader').read(uri)).rejects.toMatchObject({
          code: -32602,
          message: `Unknown resource: ${uri}`,
        });
      }
    }
    expect((await host.audit.list()).map(({ reason, server }) => [reason, server])).toEqual([
      ['denied', 'hidden'],
      ['denied', 'hidden'],
      ['unknown', undefined],
      ['unknown', undefined],
    ]);
  });

  it('answers word for word like one that nobody has, whatever other server is away', async () => {
    const down = { respond: () => Promise.reject(new Error('down')) };
    const notes = listing('note://one');
    for (const allow of [[], ['resource:down:*'], ['resource:down:note://o*']]) {
      const host = await open({ notes, down }, { agents: { reader: { allow } } });
      const errorOf = async (uri: string) =>
        host
          .as('reader')
          .read(uri)
          .then(
            () => '',
            (error: unknown) => JSON.stringify([(error as ProtocolError).body(), (error as Error).message]),
          );
      const [hidden, absent] = [await errorOf('note://one'), await errorOf('note://onf')];
      expect(hidden).not.toBe('');
      expect(hidden.replaceAll('note://one', 'X')).toBe(absent.replaceAll('note://onf', 'X'));
    }
  });
});

describe('a resource of a server that never answered', () => {
  it('is unavailable, naming every server that could have it, and unknown where none may', async () => {
    const down = { respond: () => Promise.reject(new Error('down')) };
    const agents = { reader: everything, narrow: { allow: ['resource:a:note://*'] } };
    const host = await open({ a: down, b: down, c: listing('doc://1') }, { agents });
    const readAs = (agent: string, uri: string) => host.as(agent).invoke({ method: 'resources/read', params: { uri } });
    expect(await readAs('reader', 'note://one')).toMatchObject({
      kind: 'refused',
      verdict: {
        reason: 'unavailable',
        server: 'a',
        message: expect.stringMatching(/"note:\/\/one".*"a", "b" have not answered/),
      },
    });
    expect(await readAs('narrow', 'note://one')).toMatchObject({
      verdict: { reason: 'unavailable', server: 'a', message: expect.stringMatching(/"a" has not answered/) },
    });
    expect(await readAs('narrow', 'doc://2')).toMatchObject({ verdict: { reason: 'unknown' } });
    expect(await readAs('reader', 'doc://1')).toMatchObject({ kind: 'completed' });
  });
});

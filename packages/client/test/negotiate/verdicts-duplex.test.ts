import { describe, expect, it } from 'vitest';
import { connect, type ConnectOptions, createVerdictCache, type EraVerdict, type Transport } from '../../src/index.ts';
import { createManualClock } from '../manual-clock.ts';
import { createScriptedPeer, discovery, type ScriptedPeer } from '../scripted-peer.ts';
import { closeAfterwards } from '../serve-http.ts';

const legacyPrior: EraVerdict = { era: 'legacy', revision: '2025-11-25' };
const greeting = { protocolVersion: '2025-11-25', capabilities: {}, serverInfo: { name: 'old', version: '1' } };

/** A server that answers `answers` to each method, an error to others, and nothing where the answer is `silence`. */
function startPeer(answers: { readonly [method: string]: object | 'silence' }): ScriptedPeer {
  const peer = createScriptedPeer(({ id, method = '' }) => {
    const answer = answers[method];
    if (id === undefined || answer === 'silence') return true;
    if (answer === undefined) peer.send({ jsonrpc: '2.0', id, error: { code: -32601, message: 'no' } });
    else peer.answer(id, { ...answer });
    return true;
  });
  return peer;
}

const methodsOf = (peer: ScriptedPeer): readonly string[] => peer.written.map(({ method }) => method ?? 'a response');

async function reach(transport: Transport, options: ConnectOptions): ReturnType<typeof connect> {
  return closeAfterwards(await connect(transport, options));
}

describe('a verdict on a server on stdio', () => {
  it('[VER-12] saves the probe of a legacy server', async () => {
    const peer = startPeer({ initialize: greeting });
    const client = await reach(peer.transport, { prior: legacyPrior });
    expect(client).toMatchObject({ era: 'legacy', verdict: legacyPrior });
    expect(methodsOf(peer)).toEqual(['initialize', 'notifications/initialized']);
  });

  it('is corrected where the server refuses initialize: it is started anew and probed', async () => {
    const peer = startPeer({ 'server/discover': discovery });
    const client = await reach(peer.transport, { prior: legacyPrior });
    expect(client.era).toBe('modern');
    expect(methodsOf(peer)).toEqual(['initialize', 'server/discover']);
    expect(peer.opened).toBe(2);
  });

  it('is corrected on the same stream where the server is silent on initialize for the probe time', async () => {
    const clock = createManualClock();
    const peer = startPeer({ initialize: 'silence', 'server/discover': discovery });
    const start = reach(peer.transport, { prior: legacyPrior, clock, probeTimeoutMs: 1000 });
    await clock.advance(1000);
    expect((await start).era).toBe('modern');
    expect(peer.opened).toBe(1);
  });

  it('stands where a slow server answers initialize after all', async () => {
    const clock = createManualClock();
    const peer = startPeer({ initialize: 'silence', 'server/discover': 'silence' });
    const start = reach(peer.transport, { prior: legacyPrior, clock, probeTimeoutMs: 1000 });
    await clock.advance(4000);
    peer.answer(peer.written.find(({ method }) => method === 'initialize')?.id, greeting);
    expect((await start).era).toBe('legacy');
  });

  it('that says modern is corrected like no verdict, silence included', async () => {
    const clock = createManualClock();
    const peer = startPeer({ 'server/discover': 'silence', initialize: greeting });
    const prior: EraVerdict = { era: 'modern', revision: '2026-07-28' };
    const start = reach(peer.transport, { prior, clock, probeTimeoutMs: 1000 });
    await clock.advance(1000);
    expect((await start).era).toBe('legacy');
  });

  it.each([-32020, -32021, -32022])(
    'is not doubted for %i, which is free to a legacy server: no call runs twice and no second process starts',
    async (code) => {
      const peer = createScriptedPeer(({ id, method }) => {
        if (method === 'initialize') peer.answer(id, greeting);
        else if (method === 'server/discover') peer.answer(id, discovery);
        else if (id !== undefined) peer.send({ jsonrpc: '2.0', id, error: { code, message: 'charged, then failed' } });
        return true;
      });
      const client = await reach(peer.transport, { prior: legacyPrior });
      for (const isRepeatable of [false, true]) {
        const call = client.callTool('pay', {}, { isRepeatable });
        await expect(call).rejects.toMatchObject({ name: 'ProtocolError', code });
      }
      expect(methodsOf(peer).filter((method) => method === 'tools/call')).toHaveLength(2);
      expect(peer.opened).toBe(1);
      expect(client.era).toBe('legacy');
    },
  );

  it('is shared by what reaches the same, and not by what does not say what it reaches', async () => {
    const verdicts = createVerdictCache();
    const first = startPeer({ initialize: greeting });
    await reach({ ...first.transport, identity: 'depot --old' }, { verdicts });
    const same = startPeer({ initialize: greeting });
    await reach({ ...same.transport, identity: 'depot --old' }, { verdicts });
    const unnamed = startPeer({ initialize: greeting });
    await reach(unnamed.transport, { verdicts });
    expect([first, same, unnamed].map((peer) => methodsOf(peer)[0])).toEqual([
      'server/discover',
      'initialize',
      'server/discover',
    ]);
  });
});

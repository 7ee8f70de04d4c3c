import { describe, expect, it } from 'vitest';
import { settle } from './manual-clock.ts';
import { lastId, progress, serve, warnings } from './serve-scripted.ts';

describe('callbacks of the caller', () => {
  it('that throw are reported, and the call goes on', async () => {
    const { client, peer } = await serve({
      onNotification: () => {
        throw new Error('no disk');
      },
    });
    const call = client.callTool(
      'x',
      {},
      {
        onProgress: () => {
          throw new Error('no screen');
        },
      },
    );
    await settle();
    progress(peer, lastId(peer), 1);
    peer.send({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' });
    peer.answer(lastId(peer), { content: [] });
    expect(await call).toMatchObject({ content: [] });
    expect(warnings.map(({ message }) => /onProgress|onNotification/.exec(message)?.[0])).toEqual([
      'onProgress',
      'onNotification',
    ]);
  });

  it('that reject are reported, too, and leave no rejection unhandled', async () => {
    const unhandled: unknown[] = [];
    const note = (reason: unknown): void => void unhandled.push(reason);
    process.on('unhandledRejection', note);
    const rejects = (): unknown => Promise.reject(new Error('no disk'));
    const seen: string[] = [];
    const { client, peer } = await serve({
      onNotification: rejects,
      onWarning({ message }) {
        seen.push(/onProgress|onLog|onNotification/.exec(message)?.[0] ?? message);
        return rejects();
      },
    });
    const call = client.callTool('x', {}, { onProgress: rejects, onLog: rejects });
    await settle();
    progress(peer, lastId(peer), 1);
    peer.send({ jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 1 } });
    peer.send({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' });
    peer.answer(lastId(peer), { content: [] });
    expect(await call).toMatchObject({ content: [] });
    await settle();
    process.off('unhandledRejection', note);
    expect([seen, unhandled]).toEqual([['onProgress', 'onLog', 'onNotification'], []]);
  });

  it('that fail to take a warning do not end the connection', async () => {
    const { client, peer } = await serve({
      onWarning: () => {
        throw new Error('no log');
      },
    });
    peer.sendText('junk');
    const call = client.callTool('x');
    await settle();
    peer.answer(lastId(peer), { content: [] });
    expect(await call).toMatchObject({ content: [] });
  });

  it('get no more than 1,000 warnings of one kind', async () => {
    const { peer } = await serve();
    for (let line = 0; line < 1500; line += 1) peer.sendText('junk');
    peer.send({ jsonrpc: '2.0', id: 4711, result: {} });
    expect(warnings).toHaveLength(1001);
    expect(warnings[999]?.message).toContain('not reported');
    expect(warnings[1000]?.code).toBe('unmatched-response');
  });
});

it('hands on nothing that comes after the client was closed', async () => {
  const seen: string[] = [];
  const { client, peer } = await serve({ onNotification: ({ method }) => seen.push(method) });
  peer.send({ jsonrpc: '2.0', method: 'notifications/a' });
  await client.close();
  peer.send({ jsonrpc: '2.0', method: 'notifications/b' });
  peer.sendText('junk');
  expect([seen, warnings]).toEqual([['notifications/a'], []]);
});

import { describe, expect, it } from 'vitest';
import { connect } from '../src/index.ts';
import { failure } from './expect-failure.ts';
import { settle } from './manual-clock.ts';
import { createScriptedPeer } from './scripted-peer.ts';
import { closeAfterwards, lastId } from './serve-scripted.ts';

describe('a transport of the caller', () => {
  it.each([
    [
      'throws',
      () => {
        throw new Error('no route');
      },
    ],
    ['rejects', () => Promise.reject(new Error('no route'))],
  ])('that %s has its reason told with the name of the server', async (_name, open) => {
    const error = await failure(connect({ name: 'own', open }, { name: 'depot' }));
    expect(error).toMatchObject({ code: 'connect-failed', server: 'depot', cause: { message: 'no route' } });
    expect(error.message).toContain('no route');
  });

  it('that fails to write fails the request alone, and names the server', async () => {
    let isBroken = false;
    const peer = createScriptedPeer(() => {
      if (isBroken) throw new Error('EPIPE');
    });
    const client = await connect(peer.transport, { name: 'depot' });
    closeAfterwards(client);
    isBroken = true;
    expect(await failure(client.callTool('x'))).toMatchObject({ code: 'outcome-unknown', server: 'depot' });
    isBroken = false;
    const call = client.callTool('x');
    await settle();
    peer.answer(lastId(peer), { content: [] });
    expect(await call).toMatchObject({ content: [] });
  });
});

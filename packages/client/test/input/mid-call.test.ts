import { describe, expect, it } from 'vitest';
import { ClientError } from '../../src/index.ts';
import { failure } from '../expect-failure.ts';
import { settle } from '../manual-clock.ts';
import { lastId, watch } from '../serve-scripted.ts';
import { asks, form, serveAsking, serveLegacy } from './asking-peer.ts';

const berth = form({ berth: { type: 'integer' } });

describe('a call that came to a question', () => {
  it.each([
    ['does not fit', () => Promise.resolve({ action: 'accept', content: { berth: 'two' } } as const)],
    ['is declined by an error', () => Promise.reject(new Error('nobody is here'))],
  ])('may have had an effect, though the answer %s', async (_how, elicitForm) => {
    const { client, requests } = await serveAsking(() => asks({ a: berth }), { elicitForm });
    expect(await failure(client.callTool('pay'))).toMatchObject({ server: 'depot', mayHaveRun: true });
    expect(requests()).toHaveLength(1);
  });

  it('fails by a handler that failed with another server under its own name', async () => {
    const other = new ClientError('timeout', 'other-model', 'it is slow.');
    const { client } = await serveAsking(() => asks({ a: berth }), { elicitForm: () => Promise.reject(other) });
    const error = await failure(client.callTool('pay'));
    expect(error).toMatchObject({ code: 'input-refused', server: 'depot' });
    expect(error.message).toMatch(/^MCP server "depot".*other-model/);
  });

  it.each(['2025-06-18', '2024-11-05'])(
    'is not sent again after the error -32042 in %s, which has no pages',
    async (revision) => {
      const { client, peer, requests } = await serveLegacy(
        { elicitUrl: () => Promise.resolve({ action: 'accept' }) },
        {},
        revision,
      );
      const call = watch(client.callTool('pay'));
      await settle();
      const elicitations = [{ mode: 'url', elicitationId: 'e', url: 'https://pay.example/', message: 'Link it' }];
      peer.send({ jsonrpc: '2.0', id: lastId(peer), error: { code: -32042, message: 'no', data: { elicitations } } });
      await settle();
      expect(call.outcome).toMatchObject({ code: -32042 });
      expect(requests().filter(({ method }) => method === 'tools/call')).toHaveLength(1);
    },
  );
});

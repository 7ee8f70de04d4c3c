import { describe, expect, it } from 'vitest';
import { ClientError } from '../../src/index.ts';
import { failure } from '../expect-failure.ts';
import { settle } from '../manual-clock.ts';
import { lastId, watch } from '../serve-scripted.ts';
import { answersIn, asks, done, form, serveAsking, serveLegacy } from './asking-peer.ts';

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

  it('ends with the client, and so does the question', async () => {
    const asked: AbortSignal[] = [];
    const { client } = await serveAsking(() => asks({ a: berth }), {
      elicitForm(ask) {
        asked.push(ask.signal);
        return new Promise<never>(() => undefined);
      },
    });
    const call = watch(client.callTool('pay'));
    await settle();
    await client.close();
    await settle();
    expect(call.outcome).toMatchObject({ code: 'closed', mayHaveRun: true });
    expect(asked.map(({ aborted }) => aborted)).toEqual([true]);
  });

  it('goes on with the arguments that the user was shown, whatever became of those of the caller', async () => {
    const args = { amount: 1 };
    const shown: unknown[] = [];
    const { client, requests } = await serveAsking((_message, round) => (round > 2 ? done : asks({ a: berth })), {
      elicitForm(ask) {
        shown.push(ask.interrupts?.arguments);
        args.amount += 1000;
        return Promise.resolve({ action: 'accept', content: { berth: 1 } });
      },
    });
    await client.callTool('pay', args);
    expect(shown).toEqual([{ amount: 1 }, { amount: 1 }]);
    expect(requests().map(({ params }) => params?.['arguments'])).toEqual([
      { amount: 1 },
      { amount: 1 },
      { amount: 1 },
    ]);
  });

  it('that is late puts it down to the handler, and not to the server', async () => {
    const { client, clock } = await serveAsking(() => asks({ a: berth }), {
      timeoutMs: 1000,
      elicitForm: () => new Promise<never>(() => undefined),
    });
    const call = watch(client.callTool('pay'));
    await settle();
    await clock.advance(1000);
    expect(call.outcome).toMatchObject({ code: 'timeout' });
    expect((call.outcome as Error).message).toMatch(
      /the handler for elicitation\/create took too long.*input\.timeoutMs/,
    );
  });

  it('that nests deeper than anything can be read is refused before a handler sees it', async () => {
    const { peer } = await serveLegacy({ elicitForm: () => Promise.reject(new Error('was asked')) });
    const { method, params } = form({}) as { readonly method: string; readonly params: object };
    peer.sendText(`{"jsonrpc":"2.0","id":1,"method":"${method}","params":${nestedJson(params, 20_000)}}`);
    await settle();
    expect(answersIn(peer)).toMatchObject([{ id: 1, error: { code: -32602 } }]);
  });

  it('of a page that a legacy server requires first had no effect where the user declines it', async () => {
    const { client, peer } = await serveLegacy({ elicitUrl: () => Promise.resolve({ action: 'decline' }) });
    const call = watch(client.callTool('pay'));
    await settle();
    const elicitations = [{ mode: 'url', elicitationId: 'e', url: 'https://pay.example/', message: 'Link it' }];
    peer.send({ jsonrpc: '2.0', id: lastId(peer), error: { code: -32042, message: 'no', data: { elicitations } } });
    await settle();
    expect(call.outcome).toMatchObject({ code: 'input-refused', mayHaveRun: false });
  });
});

/** The JSON of params with a member that nests so deep that it has to be written by hand. */
function nestedJson(params: object, levels: number): string {
  const rest = JSON.stringify(params).slice(1);
  return `{"deep":${'{"deep":'.repeat(levels)}0${'}'.repeat(levels)},${rest}`;
}

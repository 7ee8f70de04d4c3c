import { systemClock } from '@switchyard/client';
import { expect, it, onTestFinished } from 'vitest';
import { openStdioPeer, type StdioPeer } from '../../src/doctor/stdio-peer.ts';
import { program } from './bad-server.ts';

async function open(code: string): Promise<StdioPeer> {
  const command = program(code);
  if (!('command' in command)) throw new TypeError('a program is a command');
  const peer = await openStdioPeer(command, { clock: systemClock, signal: new AbortController().signal });
  onTestFinished(() => peer.close());
  return peer;
}

it('an answer to what was asked before is none under another id, however late it comes', async () => {
  const peer = await open(
    `let first; serve(({ id }) => { if (id === 1) first = id; else send({ id: first, result: {} }); })`,
  );
  expect((await peer.ask({ jsonrpc: '2.0', id: 1, method: 'a' }, 300)).failure).toMatchObject({ kind: 'timeout' });
  const second = await peer.ask({ jsonrpc: '2.0', id: 2, method: 'b' }, 1000);
  expect(second.failure).toMatchObject({ kind: 'timeout' });
  expect(second.otherId).toBeUndefined();
});

it('answers find their requests where several wait, and one without an id none', async () => {
  const peer = await open(`serve(({ id }) => {
    if (id === 3) { send({ id: 2, result: { for: 2 } }); send({ id: null, error: { code: 1, message: 'x' } }); }
  })`);
  const [first, second, third] = await Promise.all(
    [1, 2, 3].map((id) => peer.ask({ jsonrpc: '2.0', id, method: 'a' }, 1000)),
  );
  expect(first).toMatchObject({ failure: { kind: 'timeout' }, text: expect.stringContaining('"id":null') as string });
  expect(second?.response).toMatchObject({ result: { for: 2 } });
  expect(third?.failure).toMatchObject({ kind: 'timeout' });
});

import { afterEach } from 'vitest';
import { type Client, type ClientWarning, connect, type ConnectOptions } from '../src/index.ts';
import { createManualClock, type ManualClock } from './manual-clock.ts';
import { createScriptedPeer, type ScriptedPeer } from './scripted-peer.ts';

const clients: Client[] = [];

/** What the client of the current test warned of. */
export const warnings: ClientWarning[] = [];

afterEach(async () => {
  warnings.length = 0;
  await Promise.all(clients.splice(0).map((client) => client.close()));
});

/** Closes a client after the test. */
export function closeAfterwards(client: Client): void {
  clients.push(client);
}

/** A client of a modern server whose answers the test gives, under a clock that the test moves. */
export async function serve(
  options: ConnectOptions = {},
): Promise<{ client: Client; peer: ScriptedPeer; clock: ManualClock }> {
  const clock = createManualClock();
  const peer = createScriptedPeer();
  const client = await connect(peer.transport, {
    name: 'depot',
    clock,
    onWarning: (warning) => warnings.push(warning),
    ...options,
  });
  closeAfterwards(client);
  return { client, peer, clock };
}

/** Notes how a promise settled, without waiting for it. */
export function watch(work: Promise<unknown>): { outcome?: unknown } {
  const seen: { outcome?: unknown } = {};
  work.then(
    (value) => (seen.outcome = value),
    (error: unknown) => (seen.outcome = error),
  );
  return seen;
}

/** The id of the last message that the client wrote. */
export const lastId = ({ written }: ScriptedPeer): number => written.at(-1)?.id ?? -1;

/** Has the server tell of progress. */
export const progress = (peer: ScriptedPeer, token: number, value: number): void =>
  peer.send({ jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: token, progress: value } });

/** The cancellations that the client wrote. */
export const cancellations = ({ written }: ScriptedPeer) =>
  written.filter(({ method }) => method === 'notifications/cancelled');

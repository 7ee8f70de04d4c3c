import { InMemoryTransport as InMemoryV1 } from '@modelcontextprotocol/sdk/inMemory.js';
import { InMemoryTransport as InMemoryV2 } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { legacyRevisions, modernRevisions } from '@switchyard/protocol';
import type { HttpTarget } from '../../../src/index.ts';
import { ownOffers } from '../own-offers.ts';
import type { Absent, Peer, StartedPeer } from '../peer.ts';
import { createOfficialV1 } from '../servers/official-v1.ts';
import { createOfficialV2 } from '../servers/official-v2.ts';
import { overLinkedPair } from '../linked-pair.ts';
import { overStdio, ownProgram, startListening } from '../start-process.ts';

const v1 = ownProgram('serve-official-v1');
const v2 = ownProgram('serve-official-v2');
const [modern] = modernRevisions;
const [legacy] = legacyRevisions;
const noWayBack: Absent = { absent: 'Without a session its request has no way to get an answer.' };
const noStream: Absent = { absent: 'Without a session there is no stream that tells of updates.' };
const withoutSession = { elicit: noWayBack, sample: noWayBack, roots: noWayBack, follow: noStream };

/** The official SDKs over each transport that they have; v2 at the revisions of both eras. */
export const officialPeers: readonly Peer[] = [
  modernPeer('official SDK v2 over memory', startV2InMemory),
  modernPeer('official SDK v2 over stdio', () => Promise.resolve({ target: overStdio(v2, ['stdio']) })),
  modernPeer('official SDK v2 over Streamable HTTP', () => listening(v2, 'entry')),
  legacyPeer('official SDK v2, legacy, over memory', startV2InMemory),
  legacyPeer('official SDK v2, legacy, over stdio', () => Promise.resolve({ target: overStdio(v2, ['stdio']) })),
  legacyPeer('official SDK v2, legacy, over Streamable HTTP with sessions', () => listening(v2, 'sessions')),
  legacyPeer(
    'official SDK v2, legacy, over Streamable HTTP without sessions',
    () => listening(v2, 'entry'),
    withoutSession,
  ),
  legacyPeer('official SDK v1 over memory', startV1InMemory),
  foundOut('official SDK v1 over stdio', () => Promise.resolve({ target: overStdio(v1, ['stdio']) })),
  foundOut('official SDK v1 over Streamable HTTP with sessions', () => listening(v1, 'sessions')),
  foundOut('official SDK v1 over Streamable HTTP without sessions', () => listening(v1, 'stateless'), withoutSession),
  foundOut('official SDK v1 over HTTP+SSE', () => listening(v1, 'sse')),
];

function modernPeer(name: string, start: Peer['start']): Peer {
  return { name, revision: modern, has: ownOffers, start };
}

/** The client is not told that the server is a legacy one. */
function foundOut(name: string, start: Peer['start'], absent: Partial<Peer['has']> = {}): Peer {
  return { name, revision: legacy, has: { ...ownOffers, ...absent }, start };
}

function legacyPeer(name: string, start: Peer['start'], absent: Partial<Peer['has']> = {}): Peer {
  return { ...foundOut(name, start, absent), prior: { era: 'legacy', revision: legacy } };
}

async function listening(program: string, how: string): Promise<StartedPeer> {
  const { origin, end } = await startListening(program, [how]);
  const target: HttpTarget = { url: `${origin}/mcp` };
  return { target, end };
}

async function startV1InMemory(): Promise<StartedPeer> {
  const [near, far] = InMemoryV1.createLinkedPair();
  const server = createOfficialV1();
  await server.connect(far);
  return { target: overLinkedPair(near), end: () => server.close() };
}

function startV2InMemory(): Promise<StartedPeer> {
  const [near, far] = InMemoryV2.createLinkedPair();
  const server = serveStdio(() => createOfficialV2(), { transport: far });
  return Promise.resolve({ target: overLinkedPair(near), end: () => server.close() });
}

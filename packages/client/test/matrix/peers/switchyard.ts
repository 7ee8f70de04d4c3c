import { everyRevision, isLegacyRevision, type Responder, type Revision } from '@switchyard/protocol';
import { createResponder } from '@switchyard/server/endpoint';
import { ownOffers } from '../own-offers.ts';
import { type Absent, type Peer, type StartedPeer } from '../peer.ts';
import { createMatrixServer, onlyRevision } from '../servers/switchyard.ts';
import { overStdio, ownProgram, startListening } from '../start-process.ts';

const program = ownProgram('serve-switchyard');
const noForms: Absent = { absent: 'The revision has no elicitation.' };
const noStream: Absent = { absent: 'In memory, what belongs to no request waits for the next exchange.' };

/** Our own server at each revision, which it offers alone. */
export const switchyardPeers: readonly Peer[] = [
  ...everyRevision.flatMap((revision) => [
    peer(revision, 'memory', () => Promise.resolve({ target: inMemory(revision) })),
    peer(revision, 'stdio', () => Promise.resolve({ target: overStdio(program, ['stdio', revision]) })),
    peer(revision, 'Streamable HTTP', async () => {
      const { origin, end } = await startListening(program, ['http', revision]);
      return { target: `${origin}/mcp`, end };
    }),
  ]),
  peer('2024-11-05', 'HTTP+SSE', async () => {
    const { origin, end } = await startListening(program, ['sse', '2024-11-05']);
    return { target: { url: `${origin}/mcp`, transport: 'sse' }, end };
  }),
];

function peer(revision: Revision, transport: string, start: () => Promise<StartedPeer>): Peer {
  const isLegacy = isLegacyRevision(revision);
  return {
    name: `Switchyard at ${revision} over ${transport}`,
    revision,
    // A server that offers a legacy revision answers a modern client, too.
    ...(isLegacy ? { prior: { era: 'legacy', revision } } : {}),
    has: {
      ...ownOffers,
      ...(revision >= '2025-06-18' ? {} : { elicit: noForms }),
      ...(isLegacy && transport === 'memory' ? { follow: noStream } : {}),
    },
    start,
  };
}

function inMemory(revision: Revision): Responder {
  const legacy = onlyRevision(revision);
  return createResponder(createMatrixServer().endpoint(), legacy === false ? {} : { legacy });
}

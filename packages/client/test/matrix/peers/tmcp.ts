import { ownOffers } from '../own-offers.ts';
import type { Absent, Peer, StartedPeer } from '../peer.ts';
import { ownProgram, startListening } from '../start-process.ts';

const noRoots: Absent = { absent: 'It asks for roots at legacy revisions alone.' };

/** tmcp over HTTP, the one of its transports that is among the dependencies, at the newest revision of either era. */
export const tmcpPeers: readonly Peer[] = [
  { name: 'tmcp over Streamable HTTP', revision: '2026-07-28', has: { ...ownOffers, roots: noRoots }, start },
  {
    name: 'tmcp, legacy, over Streamable HTTP with sessions',
    revision: '2025-06-18',
    prior: { era: 'legacy', revision: '2025-06-18' },
    has: ownOffers,
    start,
  },
];

async function start(): Promise<StartedPeer> {
  const { origin, end } = await startListening(ownProgram('serve-tmcp'), []);
  return { target: `${origin}/mcp`, end };
}

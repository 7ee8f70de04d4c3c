import { describePeers } from './describe-peers.ts';
import { publishedPeers } from './peers/published.ts';
import { tmcpPeers } from './peers/tmcp.ts';

describePeers([...tmcpPeers, ...publishedPeers]);

import { describePeers } from './describe-peers.ts';
import { officialPeers } from './peers/official.ts';

describePeers(officialPeers);

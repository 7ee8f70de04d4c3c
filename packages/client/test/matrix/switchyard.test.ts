import { describePeers } from './describe-peers.ts';
import { switchyardPeers } from './peers/switchyard.ts';

describePeers(switchyardPeers);

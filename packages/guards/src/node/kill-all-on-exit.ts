import { signalGroup } from './process-group.ts';

const liveGroups = new Set<number>();
let isListening = false;

function killAll(): void {
  for (const groupId of liveGroups) signalGroup(groupId, 'SIGKILL');
  liveGroups.clear();
}

/**
 * Sends SIGKILL to the process group `groupId` when this process exits, until the returned function is called. All
 * groups share one listener. It runs when the process ends by itself, by `process.exit` or by an uncaught exception; a
 * signal without a handler and kill -9 end a process without it, and its children then only see the end of their stdin.
 */
export function killOnExit(groupId: number): () => void {
  if (!isListening) {
    isListening = true;
    process.on('exit', killAll);
  }
  liveGroups.add(groupId);
  return () => {
    liveGroups.delete(groupId);
  };
}

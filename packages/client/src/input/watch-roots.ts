import type { SessionKeeper } from '../negotiate/session-keeper.ts';
import type { PeerContext } from '../peer-context.ts';
import type { InputHandlers } from './input-handlers.ts';

/**
 * Answers a keeper that tells its session of changed roots until it is closed, where the roots can be watched. A session
 * that is gone is told nothing, and none is opened for it.
 *
 * Spec: 2025-11-25/client/roots#root-list-changes.
 */
export function watchRoots(context: PeerContext, keeper: SessionKeeper, { roots }: InputHandlers): SessionKeeper {
  if (roots === undefined || !('list' in roots) || roots.watch === undefined) return keeper;
  const closing = new AbortController();
  const stop = roots.watch(() => {
    void keeper
      .live()
      ?.rootsChanged?.(closing.signal)
      .catch(() => {
        // Its connection is over; the next session asks for the roots anew.
      });
  });
  return {
    ...keeper,
    async close() {
      context.callBack('roots.watch', stop);
      closing.abort(context.fail('closed', 'the client was closed.'));
      await keeper.close();
    },
  };
}

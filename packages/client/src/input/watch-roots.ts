import type { Session } from '../session/session.ts';
import type { PeerContext } from '../peer/peer-context.ts';
import type { InputHandlers } from './input-handlers.ts';

/**
 * Answers a keeper that tells its session of changed roots until it is closed, where the roots can be watched. A session
 * that is gone is told nothing, and none is opened for it.
 *
 * Spec: 2025-11-25/client/roots#root-list-changes.
 */
export function watchRoots<K extends { live(): Session | undefined; close(): Promise<void> }>(
  context: PeerContext,
  keeper: K,
  { roots }: InputHandlers,
): K {
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

import type { Principal } from '@switchyard/protocol';

import { callAfter } from '../timing/call-after.ts';
import { unheld } from '../timing/unheld.ts';
import { grantOf } from './principal-grant.ts';

/** How often it is asked whether credentials still count that something is open for. */
const CHECK_MS = 30_000;

/**
 * Calls `onLapse` once when what a caller proved itself by ends or counts no longer, since nobody looks at it again
 * while something is open for that caller. A token is checked every 30 seconds, its end, with the tolerance that it was
 * admitted with, to the millisecond; where that cannot be checked twice in a row, it counts no longer. Answers the
 * function that ends the watch.
 */
export function watchCredentials(
  principal: Principal | undefined,
  { epochNow = Date.now }: { epochNow?(): number },
  onLapse: () => void,
): () => void {
  const { expiresAtMs = Infinity } = principal ?? {};
  const { clockToleranceMs = 0, stillCounts } = grantOf(principal);
  // Not before it is refused: else what it opens would end at once, to be opened again.
  const end = callAfter(expiresAtMs + clockToleranceMs - epochNow(), lapse);
  const checks = stillCounts === undefined ? undefined : unheld(setInterval(() => void check(stillCounts), CHECK_MS));
  let failed = 0;
  let isOver = false;

  async function check(counts: () => Promise<boolean>): Promise<void> {
    try {
      if (!(await counts())) return lapse();
      failed = 0;
    } catch {
      failed += 1;
      if (failed > 1) lapse();
    }
  }

  function stop(): void {
    isOver = true;
    clearTimeout(end);
    clearInterval(checks);
  }

  function lapse(): void {
    if (isOver) return;
    stop();
    onLapse();
  }

  return stop;
}

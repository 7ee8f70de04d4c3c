import type { Principal } from '@switchyard/protocol';

import type { Endpoint } from '../dispatch/endpoint.ts';

/**
 * Answers for how many milliseconds a caller has proved who it is; `Infinity` where that has no end. What stays open beyond would go to
 * somebody whom nobody looks at again.
 */
export function timeOfCredentials(
  principal: Principal | undefined,
  { epochNow = Date.now }: Pick<Endpoint, 'epochNow'>,
): number {
  const { expiresAtMs } = principal ?? {};
  return expiresAtMs === undefined ? Infinity : expiresAtMs - epochNow();
}

import type { Logger } from '@switchyard/protocol';

import type { Endpoint } from './endpoint.ts';

/**
 * Ends what stays open of an endpoint. It never rejects: serving ends all the same, and the failure is logged. `logger`
 * must not throw.
 */
export async function endStreams(endpoint: Endpoint, logger: Logger): Promise<void> {
  try {
    await endpoint.endStreams?.();
  } catch (err) {
    logger.error({ err }, 'what stayed open could not be ended in order');
  }
}

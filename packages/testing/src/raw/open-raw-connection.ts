import { assertKnownOptions } from '@switchyard/protocol';

import { createHttpConnection } from './http-connection.ts';
import { openStdioConnection } from './stdio-connection.ts';
import {
  type RawConnection,
  type RawConnectionLimits,
  rawConnectionLimits,
  type RawConnectionTarget,
} from './raw-connection.ts';

/** Opens the connection to a server: starts a program, or takes a URL. Rejects with a RawConnectionError. */
export async function openRawConnection(
  target: RawConnectionTarget,
  limits: RawConnectionLimits = {},
): Promise<RawConnection> {
  assertKnownOptions('openRawConnection', limits, rawConnectionLimits);
  return 'url' in target ? createHttpConnection(target, limits) : openStdioConnection(target, limits);
}

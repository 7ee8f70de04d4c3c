import { createHttpConnection } from './http-connection.ts';
import { openStdioConnection } from './stdio-connection.ts';
import type { RawConnection, RawConnectionLimits, RawConnectionTarget } from './raw-connection.ts';

/** Opens the connection to a server: starts a program, or takes a URL. Rejects with a RawConnectionError. */
export async function openRawConnection(
  target: RawConnectionTarget,
  limits: RawConnectionLimits = {},
): Promise<RawConnection> {
  return 'url' in target ? createHttpConnection(target, limits) : openStdioConnection(target, limits);
}

import { onTestFinished } from 'vitest';

import { createRawClient, openRawConnection, type RawClient, type RawConnectionTarget } from '../../src/index.ts';

/** A raw client of the instances at these URLs, or with processes of a command; closed when the test ends. */
export function openRawClient(
  target: readonly string[] | Exclude<RawConnectionTarget, { readonly url: string }>,
): RawClient {
  const client =
    'command' in target
      ? createRawClient({ transport: 'stdio', instances: Infinity, open: () => openRawConnection(target) })
      : createRawClient({
          transport: 'http',
          instances: target.length,
          open: (instance) => openRawConnection({ url: target[instance - 1] ?? '' }),
        });
  onTestFinished(() => client.close());
  return client;
}

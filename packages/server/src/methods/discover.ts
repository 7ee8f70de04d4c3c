import { type DiscoverResult, metaKeys, modernRevisions, type ServerCapabilities } from '@switchyard/protocol';

import { listCacheHints } from '../definition/cache-hints.ts';
import type { Endpoint } from '../dispatch/endpoint.ts';

/**
 * Makes the handler of `server/discover`: the one result that says all of who the server is. It is rendered anew when the capabilities
 * become another object.
 *
 * Spec: server/discover (2026-07-28).
 */
export function createDiscover(
  endpoint: Pick<Endpoint, 'info' | 'instructions' | 'capabilities'>,
): () => DiscoverResult {
  const render = (capabilities: ServerCapabilities): DiscoverResult => ({
    supportedVersions: modernRevisions,
    capabilities,
    ...(endpoint.instructions === undefined ? {} : { instructions: endpoint.instructions }),
    ...listCacheHints,
    _meta: { [metaKeys.serverInfo]: endpoint.info },
  });
  let rendered: DiscoverResult | undefined;
  return () => {
    const { capabilities } = endpoint;
    if (rendered?.capabilities !== capabilities) rendered = render(capabilities);
    return rendered;
  };
}

import { type DiscoverResult, metaKeys, modernRevisions, type ServerCapabilities } from '@switchyard/protocol';

import { listCacheHints } from '../definition/cache-hints.ts';
import { derived } from '../definition/derived.ts';
import type { Endpoint } from './endpoint.ts';

/**
 * Makes the handler of `server/discover`: the one result that says all of who the server is. It is rendered anew when
 * the capabilities become another object.
 *
 * Spec: server/discover (2026-07-28).
 */
export function createDiscover(
  { info, instructions }: Pick<Endpoint, 'info'> & { readonly instructions?: string | undefined },
  capabilities: () => ServerCapabilities,
): () => DiscoverResult {
  return derived(capabilities, (current) => ({
    supportedVersions: modernRevisions,
    capabilities: current,
    ...(instructions === undefined ? {} : { instructions }),
    ...listCacheHints,
    _meta: { [metaKeys.serverInfo]: info },
  }));
}

import { createMetadataHandler } from '../authorization/metadata-handler.ts';
import type { ProtectedResource } from '../authorization/protected-resource.ts';
import { sendWhole } from './send-whole.ts';
import type { NodeHandler } from './to-node.ts';

/**
 * Serves the metadata of a protected resource as a `node:http` listener, at whatever path it is mounted: that of
 * `resource.metadataUrl`. `serveHttp` does so by itself.
 */
export function metadataToNode(resource: ProtectedResource): NodeHandler {
  const answer = createMetadataHandler(resource);
  return (request, response) => sendWhole(request, response, answer(request.method ?? ''));
}

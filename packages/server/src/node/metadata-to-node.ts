import type { IncomingMessage, ServerResponse } from 'node:http';

import { createMetadataHandler } from '../authorization/metadata-handler.ts';
import type { ProtectedResource } from '../authorization/protected-resource.ts';
import { dropBody } from './node-exchange.ts';
import type { NodeHandler } from './to-node.ts';

/**
 * Serves the metadata of a protected resource as a `node:http` listener, at whatever path it is mounted: that of
 * `resource.metadataUrl`. `serveHttp` does so by itself.
 */
export function metadataToNode(resource: ProtectedResource): NodeHandler {
  const answer = createMetadataHandler(resource);
  return (request, response) => answerMetadata(answer, request, response);
}

/** Answers one request for metadata. */
export function answerMetadata(
  answer: ReturnType<typeof createMetadataHandler>,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const { status, headers, body } = answer(request.method ?? '');
  dropBody(request, response);
  response.writeHead(
    status,
    status === 204 || body === '' ? headers : { ...headers, 'content-length': Buffer.byteLength(body) },
  );
  response.end(body);
}

import { isUtf8 } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';

import type { Server } from '../create-server.ts';
import type { Endpoint } from '../endpoint.ts';
import type { HttpExchange, HttpHead } from '../http/http-exchange.ts';
import { createHttpHandler, type HttpOptions } from '../http/http-handler.ts';
import { createPinoLogger } from './pino-logger.ts';

/** A listener for `node:http` and whatever is built on it (Express, Fastify's raw pair, Connect). */
export type NodeHandler = (request: IncomingMessage, response: ServerResponse) => void;

/**
 * Turns a server into a `node:http` listener. It serves whatever path it is mounted at, and reads the body itself: mount it
 * before any body parser.
 */
export function toNode(server: Server, options: HttpOptions = {}): NodeHandler {
  return endpointToNode(server.endpoint(createPinoLogger()), options);
}

/** Turns an endpoint into a `node:http` listener. */
export function endpointToNode(endpoint: Endpoint, options: HttpOptions = {}): NodeHandler {
  const handle = createHttpHandler(endpoint, options);
  return (request, response) => {
    handle(createNodeExchange(request, response)).catch((error: unknown) => {
      endpoint.logger.error({ err: error }, 'the HTTP exchange failed');
      response.destroy();
    });
  };
}

/** The head of a `node:http` request. */
export function headOf(request: IncomingMessage): HttpHead {
  return {
    method: request.method ?? '',
    header(key) {
      const value = request.headers[key];
      return Array.isArray(value) ? value.join(', ') : value;
    },
  };
}

function createNodeExchange(request: IncomingMessage, response: ServerResponse): HttpExchange {
  return {
    head: headOf(request),
    readBody: (maxBytes) => readBody(request, maxBytes),
    reply(status, headers, body) {
      if (response.destroyed) return;
      response.writeHead(status, status === 204 ? headers : { ...headers, 'content-length': Buffer.byteLength(body) });
      response.end(body);
    },
    openStream(headers) {
      response.writeHead(200, { ...headers });
      response.flushHeaders();
      return {
        write(text) {
          if (!response.destroyed && !response.writableEnded) response.write(text);
        },
        end() {
          if (!response.destroyed) response.end();
        },
      };
    },
    onAbandoned(callback) {
      if (response.destroyed) callback();
      else
        response.once('close', () => {
          if (!response.writableFinished) callback();
        });
    },
  };
}

function readBody(request: IncomingMessage, maxBytes: number): ReturnType<HttpExchange['readBody']> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let size = 0;
    if (Number(request.headers['content-length'] ?? 0) > maxBytes) resolve('too-large');
    // What is too much is dropped as it comes, since closing with unread bytes could take the reply from the caller. Whoever
    // sends as much again is cut off.
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= maxBytes) {
        chunks.push(chunk);
        return;
      }
      chunks.length = 0;
      resolve('too-large');
      if (size > 2 * maxBytes) request.destroy();
    });
    request.once('end', () => resolve(size > maxBytes ? 'too-large' : decodeBody(chunks, size)));
    request.on('error', () => resolve('broken-off'));
    request.once('close', () => resolve('broken-off'));
  });
}

function decodeBody(chunks: readonly Buffer[], size: number): { readonly text: string } | 'not-utf8' {
  const [first] = chunks;
  const body = first !== undefined && chunks.length === 1 ? first : Buffer.concat(chunks, size);
  if (!isUtf8(body)) return 'not-utf8';
  const text = body.toString('utf8');
  return { text: text.startsWith('\uFEFF') ? text.slice(1) : text };
}

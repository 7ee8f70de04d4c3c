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
      response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) });
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
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) return Promise.resolve('too-large');
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > maxBytes) {
        request.pause();
        request.removeAllListeners('data');
        resolve('too-large');
        return;
      }
      chunks.push(chunk);
    });
    request.once('end', () => {
      const [first] = chunks;
      const body = first !== undefined && chunks.length === 1 ? first : Buffer.concat(chunks, size);
      resolve(isUtf8(body) ? { text: body.toString('utf8') } : 'not-utf8');
    });
    request.once('error', () => resolve('broken-off'));
    request.once('close', () => resolve('broken-off'));
  });
}

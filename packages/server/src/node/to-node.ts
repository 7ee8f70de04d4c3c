import { isUtf8 } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';

import type { Server } from '../create-server.ts';
import type { Endpoint } from '../endpoint.ts';
import { createBodyBytes } from '../http/body-bytes.ts';
import type { HttpExchange, HttpHead } from '../http/http-exchange.ts';
import { createHttpHandler, type HttpOptions } from '../http/http-handler.ts';
import { createSafeLogger } from '../logger.ts';
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
  const logger = createSafeLogger(endpoint.logger);
  return (request, response) => {
    handle(createNodeExchange(request, response)).catch((error: unknown) => {
      logger.error({ err: error }, 'the HTTP exchange failed');
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
  let readsBody = false;
  return {
    head: headOf(request),
    readBody(maxBytes) {
      readsBody = true;
      return readBody(request, response, maxBytes);
    },
    reply(status, headers, body) {
      if (response.destroyed) return;
      if (!readsBody) dropBody(request, response);
      response.writeHead(status, status === 204 ? headers : { ...headers, 'content-length': Buffer.byteLength(body) });
      response.end(body);
      cutOffStalled(response);
    },
    openStream(headers) {
      response.writeHead(200, { ...headers });
      response.flushHeaders();
      return {
        write(text) {
          if (!response.destroyed && !response.writableEnded) response.write(text);
        },
        unreadBytes: () => response.writableLength,
        end() {
          if (response.destroyed) return;
          response.end();
          cutOffStalled(response);
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

/** How long a caller may go on sending a body that nobody wants after its reply was handed over. */
const lingeringMs = 5_000;

/**
 * Drops what is left of a body as it comes: closing with unread bytes could take the reply from a caller who sends everything
 * before it reads. Whoever still sends some seconds after the reply is cut off.
 */
export function dropBody(request: IncomingMessage, response: ServerResponse): void {
  request.resume();
  response.once('finish', () => {
    if (request.complete) return;
    const cutOff = setTimeout(() => request.destroy(), lingeringMs);
    request.once('close', () => clearTimeout(cutOff));
  });
}

/** How long a finished response waits for a caller who reads nothing of it. */
const stalledMs = 60_000;

/** Nobody else would end it: a server of Node has no limit on how long a response lies unread in its memory. */
function cutOffStalled(response: ServerResponse): void {
  if (response.writableLength > 0) response.setTimeout(stalledMs, () => response.destroy());
}

function readBody(
  request: IncomingMessage,
  response: ServerResponse,
  maxBytes: number,
): ReturnType<HttpExchange['readBody']> {
  return new Promise((resolve, reject) => {
    if (request.readableEnded)
      return reject(new Error('the body was already read: mount the server before any body parser'));
    request.on('error', () => resolve('broken-off'));
    request.once('close', () => resolve('broken-off'));
    if (Number(request.headers['content-length'] ?? 0) > maxBytes) {
      dropBody(request, response);
      return resolve('too-large');
    }
    const body = createBodyBytes(maxBytes);
    const take = (chunk: Uint8Array): void => {
      if (body.add(chunk)) return;
      dropBody(request, response);
      request.off('data', take);
      resolve('too-large');
    };
    request.on('data', take);
    return request.once('end', () => resolve(decodeBody(body.all())));
  });
}

function decodeBody(bytes: Uint8Array): { readonly text: string } | 'not-utf8' {
  if (!isUtf8(bytes)) return 'not-utf8';
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
  return { text: text.startsWith('\uFEFF') ? text.slice(1) : text };
}

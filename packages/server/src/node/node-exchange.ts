import { isUtf8 } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';

import { BodyBytes } from '../exchange/body-bytes.ts';
import type { HttpExchange, HttpHead, HttpHeaders, HttpStream } from '../exchange/http-exchange.ts';
import { bodyReadBefore } from '../http/body-read-before.ts';
import { bodyLeft } from './body-left.ts';
import { dropBody } from './drop-body.ts';
import type { UnreadResponses } from './unread-responses.ts';
import { whileQueued } from './while-queued.ts';

/** The head of a `node:http` request. */
export class NodeHead implements HttpHead {
  readonly #request: IncomingMessage;

  constructor(request: IncomingMessage) {
    this.#request = request;
  }

  get method(): string {
    return this.#request.method ?? '';
  }

  get target(): string {
    // What Express and Connect cut off where they mount a handler is a part of what was sent.
    const { originalUrl } = this.#request as { readonly originalUrl?: unknown };
    return typeof originalUrl === 'string' ? originalUrl : (this.#request.url ?? '');
  }

  header(key: string): string | undefined {
    // Of two, Node keeps the first alone unless it was told otherwise, and whoever checked the request in front may
    // have read the second.
    if (key === 'authorization') return this.#request.headersDistinct[key]?.join(', ');
    const value = this.#request.headers[key];
    return Array.isArray(value) ? value.join(', ') : value;
  }
}

/** What the exchanges of one listener share. */
export interface NodeExchangeSite {
  /** See `bodyLeft`. */
  readonly takesValues: boolean;
  readonly unread: UnreadResponses;
}

/** A class, so that the exchanges of all requests share one shape and their methods. */
export class NodeExchange implements HttpExchange {
  readonly head: HttpHead;
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #onClosed: (() => void)[] = [];
  readonly #site: NodeExchangeSite;
  #finishReading: ((read: 'too-slow') => void) | undefined;

  constructor(request: IncomingMessage, response: ServerResponse, site: NodeExchangeSite) {
    this.#site = site;
    this.head = new NodeHead(request);
    this.#request = request;
    this.#response = response;
    response.on('close', () => this.#close());
    if (response.socket === null) whileQueued(request.socket, response, () => this.#close());
  }

  readBody(maxBytes: number): ReturnType<HttpExchange['readBody']> {
    const request = this.#request;
    return new Promise((resolve, reject) => {
      if (request.readableDidRead) return resolve(this.#bodyLeft(maxBytes));
      // Whoever waits for the end of a body in front has had the end of an empty one, which comes once.
      if (request.readableEnded) return resolve({ text: '' });
      // Both are let go of once the body is read: what waits for the end of a long exchange must not hold it. What
      // comes after that is dropped.
      let settle: typeof resolve | undefined = resolve;
      let body: BodyBytes | undefined = new BodyBytes(maxBytes);
      const finish = (read: Awaited<ReturnType<HttpExchange['readBody']>>): void => {
        settle?.(read);
        settle = undefined;
        body = undefined;
      };
      // What a listener throws is nobody's to catch, and would end the process.
      const fail = (error: unknown): void => {
        reject(error);
        finish('broken-off');
      };
      const take = (chunk: Uint8Array | string): void => {
        try {
          if (body?.add(toBytes(chunk, request)) === false) finish('too-large');
        } catch (error) {
          fail(error);
        }
      };
      this.#finishReading = finish;
      this.onAbandoned(() => finish('broken-off'));
      if (Number(request.headers['content-length'] ?? 0) > maxBytes) return finish('too-large');
      request.on('data', take).on('end', () => {
        try {
          if (body !== undefined) finish(decodeBody(body.all()));
        } catch (error) {
          fail(error);
        }
      });
      // Where somebody in front has paused it, it would wait for who did.
      return void request.resume();
    });
  }

  stopReading(): void {
    this.#finishReading?.('too-slow');
  }

  #bodyLeft(maxBytes: number): Awaited<ReturnType<HttpExchange['readBody']>> {
    const left = bodyLeft(this.#request, this.#site.takesValues);
    if (left === undefined) throw bodyReadBefore('mount it before any body parser');
    if (Buffer.byteLength(left) > maxBytes) return 'too-large';
    return typeof left === 'string' ? { text: left } : decodeBody(left);
  }

  reply(status: number, headers: HttpHeaders, body: string): void {
    const response = this.#response;
    if (response.destroyed) return;
    if (this.#finishReading === undefined || !this.#request.complete) dropBody(this.#request, response);
    response.writeHead(status, status === 204 ? headers : { ...headers, 'content-length': Buffer.byteLength(body) });
    response.end(body);
    this.#ended();
  }

  openStream(headers: HttpHeaders): HttpStream {
    const response = this.#response;
    response.writeHead(200, headers);
    response.flushHeaders();
    return {
      write(text) {
        if (!response.destroyed && !response.writableEnded) response.write(text);
      },
      unreadBytes: () => response.writableLength,
      end: () => {
        if (response.destroyed) return;
        response.end();
        this.#ended();
      },
    };
  }

  onAbandoned(callback: () => void): void {
    if (this.#response.destroyed) callback();
    else this.#onClosed.push(callback);
  }

  #ended(): void {
    // Most responses are with the system by now.
    if (this.#response.writableLength > 0)
      this.#site.unread.add(this.#request, this.#response, (callback) => this.onAbandoned(callback));
  }

  #close(): void {
    if (!this.#response.writableFinished) for (const callback of this.#onClosed.splice(0)) callback();
  }
}

/** Answers a chunk as it was sent, where somebody in front has called `setEncoding` and it comes as text. */
function toBytes(chunk: Uint8Array | string, { readableEncoding }: IncomingMessage): Uint8Array {
  return typeof chunk === 'string' ? Buffer.from(chunk, readableEncoding ?? 'utf8') : chunk;
}

function decodeBody(bytes: Uint8Array): { readonly text: string } | 'not-utf8' {
  const buffer = Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const text = buffer.toString('utf8');
  // Only where the decoder had to put a replacement character, or the sender wrote one, are the bytes looked at again.
  if (text.includes('\uFFFD') && !isUtf8(bytes)) return 'not-utf8';
  return { text: text.startsWith('\uFEFF') ? text.slice(1) : text };
}

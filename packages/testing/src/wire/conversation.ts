import type { JsonObject } from '@switchyard/protocol';

import { mirroredHeaders, type ModernMetadata, modernMeta } from './modern-message.ts';
import type { Answer, Wire } from './wire.ts';

/** One message and what came for it. */
export interface Exchange extends Answer {
  /** What it was sent for; the same words for the same purpose in every conversation. */
  readonly label: string;
  /** Which instance of the server it went to, from 1. */
  readonly instance: number;
  readonly sent: JsonObject;
  /** Over HTTP, by lower-case name: those that mirror the message or were asked for. */
  readonly sentHeaders?: { readonly [name: string]: string };
}

/** How a request is built and sent. */
export interface ConversationRequest extends ModernMetadata {
  /** From 1. Default: 1. */
  readonly instance?: number;
  /** Changes the headers over HTTP, by lower-case name; `undefined` leaves one out. */
  readonly headers?: { readonly [name: string]: string | undefined };
  /** The input schema of the tool that is called, whose annotations say which arguments are mirrored into headers. */
  readonly inputSchema?: unknown;
}

/** Messages to the instances of one server, each with an id of its own, and all that came for them. */
export interface Conversation extends AsyncDisposable {
  readonly transport: Wire['transport'];
  /** How many instances there are; `Infinity` where each is a process that is started. */
  readonly instances: number;
  readonly exchanges: readonly Exchange[];
  /** Sends a request of the current revision. Rejects as `Wire.send` does. */
  request(label: string, method: string, params?: JsonObject, options?: ConversationRequest): Promise<Exchange>;
  /** Sends a message as it is, under the next id. */
  send(label: string, message: JsonObject, options?: ConversationRequest): Promise<Exchange>;
  /** Over HTTP: sends a request without a body to the first instance; `undefined` over stdio, which has none. */
  head(label: string, method: string, headers: { readonly [name: string]: string }): Promise<Exchange | undefined>;
  /** The wire to an instance, opened when it is first asked for. */
  wire(instance: number): Promise<Wire>;
  close(): Promise<void>;
}

/** How a conversation reaches the instances. */
export interface ConversationOptions {
  readonly transport: Wire['transport'];
  readonly instances: number;
  /** Opens the wire to an instance; called once for each. */
  readonly open: (instance: number) => Promise<Wire>;
  readonly signal?: AbortSignal;
}

/** What this client calls itself. */
export const clientInfo = { name: 'switchyard-check', version: '1.0.0' } as const;

/** Creates a conversation. Whoever created it closes it, and with it every wire. */
export function createConversation(options: ConversationOptions): Conversation {
  const { transport, instances, open, signal } = options;
  const wires = new Map<number, Promise<Wire>>();
  const exchanges: Exchange[] = [];
  let lastId = 0;

  async function send(label: string, message: JsonObject, request: ConversationRequest = {}): Promise<Exchange> {
    const { instance = 1, headers = {}, inputSchema } = request;
    const sent = { jsonrpc: '2.0', id: (lastId += 1), ...message };
    const changed = Object.entries({ ...mirroredHeaders(sent, inputSchema), ...headers });
    const sentHeaders = Object.fromEntries(
      changed.filter((entry): entry is [string, string] => entry[1] !== undefined),
    );
    const opened = await wire(instance);
    const answer = await opened.send(sent, {
      ...(transport === 'http' ? { headers: sentHeaders } : {}),
      ...(signal === undefined ? {} : { signal }),
    });
    const exchange = { label, instance, sent, ...(transport === 'http' ? { sentHeaders } : {}), ...answer };
    exchanges.push(exchange);
    return exchange;
  }

  async function head(
    label: string,
    method: string,
    headers: { readonly [name: string]: string },
  ): Promise<Exchange | undefined> {
    const opened = await wire(1);
    const answer = await opened.head?.(method, { headers, ...(signal === undefined ? {} : { signal }) });
    if (answer === undefined) return undefined;
    const nothing = { received: [], response: undefined, stray: [] };
    const exchange = { label, instance: 1, sent: { http: method }, sentHeaders: headers, ...nothing, ...answer };
    exchanges.push(exchange);
    return exchange;
  }

  function wire(instance: number): Promise<Wire> {
    const known = wires.get(instance);
    if (known !== undefined) return known;
    const opening = open(instance);
    wires.set(instance, opening);
    return opening;
  }

  async function close(): Promise<void> {
    // One that could not be opened has told so to whoever asked for it.
    for (const opening of wires.values()) await (await opening.catch(() => undefined))?.close();
  }

  return {
    transport,
    instances,
    exchanges,
    send,
    request: (label, method, params = {}, request = {}) =>
      send(label, { method, params: { ...params, _meta: modernMeta({ clientInfo, ...request }) } }, request),
    head,
    wire,
    close,
    [Symbol.asyncDispose]: close,
  };
}

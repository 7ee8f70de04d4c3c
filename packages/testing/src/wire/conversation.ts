import type { JsonObject } from '@switchyard/protocol';

import { mirroredHeaders, type ModernMetadata, modernMeta } from './modern-message.ts';
import { type Answer, type Wire, WireError } from './wire.ts';

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
  /** Milliseconds from the first message until all of it must be over: default 600,000, ten minutes. */
  readonly maxTotalMs?: number;
  /** Most characters of all answers together, which are kept: default 64 Mi. */
  readonly maxTotalChars?: number;
}

const MAX_TOTAL_MS = 600_000;
const MAX_TOTAL_CHARS = 64 * 1024 * 1024;

/** What this client calls itself. */
export const clientInfo = { name: 'switchyard-check', version: '1.0.0' } as const;

/**
 * Creates a conversation. Whoever created it closes it, and with it every wire. Once its time or its room is used up, every message is
 * refused with a WireError `closed` or `too-large`.
 */
export function createConversation(options: ConversationOptions): Conversation {
  const {
    transport,
    instances,
    open,
    signal: givenUp,
    maxTotalMs = MAX_TOTAL_MS,
    maxTotalChars = MAX_TOTAL_CHARS,
  } = options;
  const wires = new Map<number, Promise<Wire>>();
  const exchanges: Exchange[] = [];
  let lastId = 0;
  let chars = 0;
  let timeout: AbortSignal | undefined;

  /** Has one message sent within what is left of the time and the room of the conversation. */
  async function within<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    timeout ??= AbortSignal.timeout(maxTotalMs);
    if (chars > maxTotalChars)
      throw new WireError('too-large', `the server has answered with more than ${maxTotalChars} characters in all`);
    try {
      timeout.throwIfAborted();
      return await work(givenUp === undefined ? timeout : AbortSignal.any([timeout, givenUp]));
    } catch (error) {
      if (!timeout.aborted) throw error;
      throw new WireError('closed', `the conversation has taken more than ${maxTotalMs} ms in all`, { cause: error });
    }
  }

  async function send(label: string, message: JsonObject, request: ConversationRequest = {}): Promise<Exchange> {
    const { instance = 1, headers = {}, inputSchema } = request;
    const sent = { jsonrpc: '2.0', id: (lastId += 1), ...message };
    const changed = Object.entries({ ...mirroredHeaders(sent, inputSchema), ...headers });
    const sentHeaders = Object.fromEntries(
      changed.filter((entry): entry is [string, string] => entry[1] !== undefined),
    );
    const opened = await wire(instance);
    const answer = await within((signal) =>
      opened.send(sent, { ...(transport === 'http' ? { headers: sentHeaders } : {}), signal }),
    );
    chars += answer.chars ?? 0;
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
    const answer = await within((signal) => opened.head?.(method, { headers, signal }) ?? Promise.resolve(undefined));
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

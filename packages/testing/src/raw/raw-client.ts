import { assertKnownOptions, type JsonObject, type KnownOptions } from '@switchyard/protocol';

import { mirroredHeaders, modernMeta, type ModernMetadata } from './modern-message.ts';
import { type RawAnswer, type RawConnection, RawConnectionError } from './raw-connection.ts';

/** One message and what came for it. */
export interface RawExchange extends RawAnswer {
  /** What it was sent for; the same words for the same purpose in every run, so that runs can be compared. */
  readonly label: string;
  /** Which instance of the server it went to, from 1. */
  readonly instance: number;
  readonly sent: JsonObject;
  /** Over HTTP, by lower-case name: those that mirror the message or were asked for. */
  readonly sentHeaders?: { readonly [name: string]: string };
}

/** How a request is built and sent. */
export interface RawRequestOptions extends ModernMetadata {
  /** From 1. Default: 1. */
  readonly instance?: number;
  /** Changes the headers over HTTP, by lower-case name; `undefined` leaves one out. */
  readonly headers?: { readonly [name: string]: string | undefined };
  /** The input schema of the tool that is called, whose annotations say which arguments are mirrored into headers. */
  readonly inputSchema?: unknown;
}

/**
 * A client that sends messages to the instances of one server as it is told, each under an id of its own, repairs and
 * retries nothing, and keeps all that came.
 */
export interface RawClient extends AsyncDisposable {
  readonly transport: RawConnection['transport'];
  /** How many instances there are; `Infinity` where each is a process that is started. */
  readonly instances: number;
  readonly exchanges: readonly RawExchange[];
  /** Sends a request of the current revision. Rejects as `RawConnection.send` does. */
  request(label: string, method: string, params?: JsonObject, options?: RawRequestOptions): Promise<RawExchange>;
  /** Sends a message as it is, under the next id. */
  send(label: string, message: JsonObject, options?: RawRequestOptions): Promise<RawExchange>;
  /** Over HTTP: sends a request without a body to the first instance; `undefined` over stdio, which has none. */
  head(label: string, method: string, headers: { readonly [name: string]: string }): Promise<RawExchange | undefined>;
  /** The connection to an instance, opened when it is first asked for. */
  connection(instance: number): Promise<RawConnection>;
  close(): Promise<void>;
}

/** How a raw client reaches the instances, and how much it takes from them. */
export interface RawClientOptions {
  readonly transport: RawConnection['transport'];
  readonly instances: number;
  /** Opens the connection to an instance; called once for each. */
  readonly open: (instance: number) => Promise<RawConnection>;
  /** Once it aborts, every message is refused with a RawConnectionError `given-up`, also one that is under way. */
  readonly signal?: AbortSignal;
  /** Milliseconds from the first message until all of it must be over: default 600,000, ten minutes. */
  readonly maxTotalMs?: number;
  /** Most characters of all answers together, which are kept: default 64 Mi. */
  readonly maxTotalChars?: number;
}

const rawClientOptions: KnownOptions<RawClientOptions> = {
  transport: true,
  instances: true,
  open: true,
  signal: true,
  maxTotalMs: true,
  maxTotalChars: true,
};

const rawRequestOptions: KnownOptions<RawRequestOptions> = {
  instance: true,
  headers: true,
  inputSchema: true,
  capabilities: true,
  version: true,
  progressToken: true,
  clientInfo: true,
};

const MAX_TOTAL_MS = 600_000;
const MAX_TOTAL_CHARS = 64 * 1024 * 1024;

/** What a raw client calls itself. */
export const rawClientInfo = { name: 'switchyard-check', version: '1.0.0' } as const;

/**
 * Creates a raw client. Whoever created it closes it, and with it every connection. Once its time or its room is used
 * up, every message is refused with a RawConnectionError `closed` or `too-large`.
 */
export function createRawClient(options: RawClientOptions): RawClient {
  assertKnownOptions('createRawClient', options, rawClientOptions);
  const {
    transport,
    instances,
    open,
    signal: givenUp,
    maxTotalMs = MAX_TOTAL_MS,
    maxTotalChars = MAX_TOTAL_CHARS,
  } = options;
  const connections = new Map<number, Promise<RawConnection>>();
  const exchanges: RawExchange[] = [];
  let lastId = 0;
  let chars = 0;
  let timeout: AbortSignal | undefined;

  /** Has one message sent within what is left of the time and the room of the client. */
  async function within<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    timeout ??= AbortSignal.timeout(maxTotalMs);
    if (chars > maxTotalChars)
      throw new RawConnectionError(
        'too-large',
        `the server has answered with more than ${maxTotalChars} characters in all`,
      );
    try {
      givenUp?.throwIfAborted();
      timeout.throwIfAborted();
      return await work(givenUp === undefined ? timeout : AbortSignal.any([timeout, givenUp]));
    } catch (error) {
      if (givenUp?.aborted === true)
        throw new RawConnectionError('given-up', 'the conversation was given up', { cause: error });
      if (!timeout.aborted) throw error;
      throw new RawConnectionError('closed', `the conversation has taken more than ${maxTotalMs} ms in all`, {
        cause: error,
      });
    }
  }

  async function send(label: string, message: JsonObject, request: RawRequestOptions = {}): Promise<RawExchange> {
    assertKnownOptions('the request of a raw client', request, rawRequestOptions);
    const { instance = 1, headers = {}, inputSchema } = request;
    const sent = { jsonrpc: '2.0', id: (lastId += 1), ...message };
    const changed = Object.entries({ ...mirroredHeaders(sent, inputSchema), ...headers });
    const sentHeaders = Object.fromEntries(
      changed.filter((entry): entry is [string, string] => entry[1] !== undefined),
    );
    const opened = await connection(instance);
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
  ): Promise<RawExchange | undefined> {
    const opened = await connection(1);
    const answer = await within((signal) => opened.head?.(method, { headers, signal }) ?? Promise.resolve(undefined));
    if (answer === undefined) return undefined;
    const nothing = { received: [], response: undefined, stray: [] };
    const exchange = { label, instance: 1, sent: { http: method }, sentHeaders: headers, ...nothing, ...answer };
    exchanges.push(exchange);
    return exchange;
  }

  function connection(instance: number): Promise<RawConnection> {
    const known = connections.get(instance);
    if (known !== undefined) return known;
    const opening = open(instance);
    connections.set(instance, opening);
    return opening;
  }

  async function close(): Promise<void> {
    // One that could not be opened has told so to whoever asked for it.
    await Promise.all(
      [...connections.values()].map(async (opening) => (await opening.catch(() => undefined))?.close()),
    );
  }

  return {
    transport,
    instances,
    exchanges,
    send,
    request: (label, method, params = {}, request = {}) =>
      send(
        label,
        { method, params: { ...params, _meta: modernMeta({ clientInfo: rawClientInfo, ...request }) } },
        request,
      ),
    head,
    connection,
    close,
    [Symbol.asyncDispose]: close,
  };
}

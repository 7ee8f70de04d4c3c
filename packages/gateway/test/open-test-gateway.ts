import type { ConfigurationInput } from '@switchyard/config';
import { type Host, type Logger, openHost, type OpenHostOptions } from '@switchyard/host';
import { encodeHeaderValue, type JsonObject, type Responder, stringifyJson } from '@switchyard/protocol';
import { serveGateway, type ServeGatewayOptions } from '../src/index.ts';

/** A gateway over servers in this process, on a free port. */
export interface TestGateway extends AsyncDisposable {
  readonly host: Host;
  readonly url: string;
  /** What was logged as a warning or an error. */
  readonly warnings: { readonly fields: object; readonly message: string }[];
  /** Sends one modern request with the headers that belong to it, and answers what came back. */
  send(method: string, params?: JsonObject, options?: SendOptions): Promise<Answer>;
}

export interface SendOptions {
  readonly meta?: JsonObject;
  readonly headers?: { readonly [name: string]: string };
  readonly signal?: AbortSignal;
}

export interface Answer {
  readonly status: number;
  readonly contentType: string;
  readonly text: string;
  /** The whole JSON message. */
  readonly message: JsonObject & {
    readonly result?: JsonObject;
    readonly error?: JsonObject & { readonly message: string };
  };
}

const everything = { allow: ['*', 'prompt:*', 'resource:*'] };

/** Opens a gateway whose anonymous agent `reader` may do everything, unless the configuration says otherwise. */
export async function openTestGateway(
  servers: Readonly<Record<string, Responder>>,
  configuration: ConfigurationInput = {},
  options: Omit<ServeGatewayOptions, 'logger'> = {},
  hostOptions: OpenHostOptions = {},
): Promise<TestGateway> {
  const warnings: TestGateway['warnings'] = [];
  const warn = (fields: object, message: string): void => void warnings.push({ fields, message });
  const logger: Logger = { info: () => undefined, warn, error: warn };
  const host = await openHost(
    { agents: { reader: everything }, gateway: { anonymousAgent: 'reader', port: 0 }, ...configuration },
    { audit: 'memory', env: {}, cwd: '/nowhere', mount: servers, exactIntegers: true, logger, ...hostOptions },
  );
  const running = await serveGateway(host, { ...options, logger });
  return {
    host,
    url: running.url,
    warnings,
    send: (method, params = {}, sendOptions) => send(running.url, method, params, sendOptions),
    async [Symbol.asyncDispose]() {
      await running.close({ graceMs: 0 });
      await host.close();
    },
  };
}

async function send(url: string, method: string, params: JsonObject, options: SendOptions = {}): Promise<Answer> {
  const name = params['name'] ?? params['uri'];
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      ...(typeof name === 'string' ? { 'mcp-name': encodeHeaderValue(name) } : {}),
      ...options.headers,
    },
    body: stringifyJson({ jsonrpc: '2.0', id: 1, method, params: { _meta: metadata(options.meta), ...params } }),
    ...(options.signal === undefined ? {} : { signal: options.signal }),
  });
  const text = await response.text();
  const contentType = response.headers.get('content-type') ?? '';
  const last = contentType.startsWith('text/event-stream') ? (events(text).at(-1) ?? '{}') : text;
  return { status: response.status, contentType, text, message: JSON.parse(last) as Answer['message'] };
}

/** The metadata that every modern request carries. */
export function metadata(extra: JsonObject = {}): JsonObject {
  return {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '0' },
    ...extra,
  };
}

/** The data of each event of an event stream. */
export function events(text: string): string[] {
  return [...text.matchAll(/^data: (.*)$/gm)].map(([, data = '']) => data);
}

import { metaKeys } from '@switchyard/protocol';

/** The protocol version of every request here unless a test says otherwise. */
export const version = '2026-07-28';

/** Metadata that every request needs, with further or other members. */
export function metaOf(more: object = {}): object {
  return { [metaKeys.protocolVersion]: version, [metaKeys.clientCapabilities]: {}, ...more };
}

/** A message as a test reads it. */
export interface Received {
  readonly jsonrpc?: unknown;
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: { readonly [key: string]: unknown };
  readonly result?: { readonly [key: string]: unknown };
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** A request as a test sends it; its id may be wrong. */
export interface Sent {
  readonly jsonrpc: '2.0';
  readonly id: unknown;
  readonly method: string;
  readonly params: { readonly [key: string]: unknown };
}

/** A request with good metadata. `undefined` as `meta` leaves it out. */
export function requestOf(
  method: string,
  params: object = {},
  options: { readonly id?: unknown; readonly meta?: object | undefined } = {},
): Sent {
  const { id = 1 } = options;
  return { jsonrpc: '2.0', id, method, params: { ...params, _meta: 'meta' in options ? options.meta : metaOf() } };
}

/** A request that calls a tool. */
export function callOf(
  name: string,
  args: object = {},
  options: { readonly id?: unknown; readonly meta?: object } = {},
): Sent {
  return requestOf('tools/call', { name, arguments: args }, options);
}

import { httpHeaders, latestRevision, metaKeys } from '@switchyard/protocol';

/** A request of the current revision: its text, and the headers that mirror it over HTTP. */
export interface Sent {
  readonly headers: { readonly [name: string]: string };
  readonly body: string;
}

/** Makes a request of the current revision. The id is 1 and the client has no capabilities unless told otherwise. */
export function requestOf(
  method: string,
  params: { readonly name?: string; readonly [member: string]: unknown } = {},
  { id = 1, capabilities = {} }: { readonly id?: unknown; readonly capabilities?: object } = {},
): Sent {
  const _meta = { [metaKeys.protocolVersion]: latestRevision, [metaKeys.clientCapabilities]: capabilities };
  return {
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      [httpHeaders.protocolVersion.key]: latestRevision,
      [httpHeaders.method.key]: method,
      ...(params.name === undefined ? {} : { [httpHeaders.name.key]: params.name }),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id, method, params: { ...params, _meta } }),
  };
}

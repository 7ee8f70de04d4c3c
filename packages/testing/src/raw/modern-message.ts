import {
  type ClientCapabilities,
  encodeHeaderValue,
  httpHeaders,
  type Implementation,
  isJsonObject,
  type JsonObject,
  latestRevision,
  metaKeys,
  methodOf,
  mintParamHeaders,
  planParamHeaders,
} from '@switchyard/protocol';

/** What a request says about itself. */
export interface ModernMetadata {
  /** Default: none. */
  readonly capabilities?: ClientCapabilities;
  /** Default: the latest revision. */
  readonly version?: string;
  readonly progressToken?: string | number;
  readonly clientInfo?: Implementation;
}

/** A client that may be asked for anything. */
export const everyCapability: ClientCapabilities = {
  elicitation: { form: {}, url: {} },
  sampling: { tools: {}, context: {} },
  roots: {},
};

/** Builds the `_meta` of a request. Spec: basic/index#meta (2026-07-28). */
export function modernMeta(metadata: ModernMetadata): JsonObject {
  const { capabilities = {}, version = latestRevision, progressToken, clientInfo } = metadata;
  return {
    [metaKeys.protocolVersion]: version,
    ...(clientInfo === undefined ? {} : { [metaKeys.clientInfo]: clientInfo }),
    [metaKeys.clientCapabilities]: capabilities,
    ...(progressToken === undefined ? {} : { [metaKeys.progressToken]: progressToken }),
  };
}

/**
 * Answers the headers that mirror a message, by lower-case name, with those of a tool's annotated arguments where its
 * input schema is given.
 *
 * Spec: basic/transports/streamable-http#request-metadata (2026-07-28).
 */
export function mirroredHeaders(message: JsonObject, inputSchema?: unknown): { readonly [name: string]: string } {
  const { method } = message;
  if (typeof method !== 'string') return {};
  const params = isJsonObject(message['params']) ? message['params'] : {};
  const meta = isJsonObject(params['_meta']) ? params['_meta'] : {};
  const version = meta[metaKeys.protocolVersion];
  const source = methodOf(method)?.nameFrom;
  const name = source === undefined ? undefined : params[source];
  const plan = inputSchema === undefined ? undefined : planParamHeaders(inputSchema);
  const minted = plan === undefined || 'problem' in plan ? {} : mintParamHeaders(plan, params['arguments']);
  return {
    [httpHeaders.protocolVersion.key]: typeof version === 'string' ? version : latestRevision,
    [httpHeaders.method.key]: method,
    // A name that no header can carry is the server's own; without its header the request is refused, which says so.
    ...(typeof name === 'string' && name.isWellFormed() ? { [httpHeaders.name.key]: encodeHeaderValue(name) } : {}),
    ...minted,
  };
}

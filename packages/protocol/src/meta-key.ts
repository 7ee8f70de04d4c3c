const LABEL = /^[A-Za-z](?:[A-Za-z0-9-]*[A-Za-z0-9])?$/;
const NAME = /^(?:[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)?$/;
const RESERVED_LABELS: ReadonlySet<string> = new Set(['modelcontextprotocol', 'mcp']);

/**
 * Keys of `_meta` that the protocol defines: those of a request (`protocolVersion`, `clientInfo`, `clientCapabilities`,
 * `logLevel`, `progressToken`), of a result (`serverInfo`), of what belongs to a subscription (`subscriptionId`), and
 * of traces, in the forms of the W3C, on any message (`traceparent`, `tracestate`, `baggage`).
 *
 * Spec: basic/index#meta (2026-07-28)
 */
export const metaKeys = {
  protocolVersion: 'io.modelcontextprotocol/protocolVersion',
  clientInfo: 'io.modelcontextprotocol/clientInfo',
  clientCapabilities: 'io.modelcontextprotocol/clientCapabilities',
  logLevel: 'io.modelcontextprotocol/logLevel',
  progressToken: 'progressToken',
  serverInfo: 'io.modelcontextprotocol/serverInfo',
  subscriptionId: 'io.modelcontextprotocol/subscriptionId',
  traceparent: 'traceparent',
  tracestate: 'tracestate',
  baggage: 'baggage',
} as const;

const reservedNames: ReadonlySet<string> = new Set(Object.values(metaKeys).filter((key) => !key.includes('/')));

/**
 * Whether a string has the form of a `_meta` key: an optional prefix of dot-separated labels and a slash, then a name.
 *
 * The name may be empty, as the specification allows; so the empty string and `com.example/` are keys. Names are ASCII.
 * The advice to write prefixes in reverse DNS order cannot be checked.
 *
 * Spec: basic/index#meta (2026-07-28)
 */
export function isMetaKey(key: string): boolean {
  const { prefix, name } = splitKey(key);
  return NAME.test(name) && (prefix === undefined || prefix.split('.').every((label) => LABEL.test(label)));
}

/**
 * Whether a `_meta` key belongs to the protocol, so that nobody else may define it.
 *
 * These are all keys whose prefix has `modelcontextprotocol` or `mcp` as its second label (`io.modelcontextprotocol/…`,
 * `com.mcp.tools/…`, but not `com.example.mcp/…`), in any letter case, and the keys without a prefix that the
 * specification names: `progressToken`, `traceparent`, `tracestate`, `baggage`.
 *
 * Spec: basic/index#meta (2026-07-28)
 */
export function isReservedMetaKey(key: string): boolean {
  const { prefix, name } = splitKey(key);
  if (prefix === undefined) return reservedNames.has(name);
  const second = prefix.split('.', 2)[1];
  return second !== undefined && RESERVED_LABELS.has(second.toLowerCase());
}

/**
 * Whether a string can be the identifier of an extension, a key of `capabilities.extensions`: a `_meta` key with a
 * prefix.
 *
 * Spec: basic/versioning#extension-negotiation (2026-07-28)
 */
export function isExtensionIdentifier(identifier: string): boolean {
  return identifier.includes('/') && isMetaKey(identifier);
}

function splitKey(key: string): { prefix: string | undefined; name: string } {
  const slash = key.indexOf('/');
  return slash === -1 ? { prefix: undefined, name: key } : { prefix: key.slice(0, slash), name: key.slice(slash + 1) };
}

/** A header of the HTTP transport. */
export interface HttpHeader<Name extends string = string> {
  /** As the specification writes it: for messages. */
  readonly name: Name;
  /** In lower case: for sending and for look-up. Names of headers have no case of their own. */
  readonly key: Lowercase<Name>;
}

function header<const Name extends string>(name: Name): HttpHeader<Name> {
  return { name, key: name.toLowerCase() as Lowercase<Name> };
}

/**
 * The headers that the protocol defines, each declared once; those of a tool's arguments come from `planParamHeaders`.
 * `sessionId` belongs to legacy revisions from 2025-03-26 on, and so does `lastEventId`, by which they resume a stream.
 *
 * Spec: basic/transports/streamable-http#request-metadata (2026-07-28); 2025-11-25/basic/transports#session-management.
 */
export const httpHeaders = {
  protocolVersion: header('MCP-Protocol-Version'),
  method: header('Mcp-Method'),
  name: header('Mcp-Name'),
  sessionId: header('MCP-Session-Id'),
  lastEventId: header('Last-Event-ID'),
} as const;

/**
 * What the name of a header begins with that mirrors an argument of a tool, as it is sent. Spec:
 * basic/transports/streamable-http#schema-extension (2026-07-28).
 */
export const paramHeaderPrefix = 'Mcp-Param-';

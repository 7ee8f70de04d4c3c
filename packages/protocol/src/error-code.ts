/**
 * Every error code of the wire, with the HTTP status that carries it. No second list of codes exists. `invalidParams`
 * has the status of an error that a method answers; a request whose envelope is broken is refused with status 400
 * whatever its code.
 *
 * Spec: basic/index#error-codes, basic/transports/streamable-http (2026-07-28).
 */
export const errorCodes = {
  parseError: { code: -32700, status: 400 },
  invalidRequest: { code: -32600, status: 400 },
  methodNotFound: { code: -32601, status: 404 },
  invalidParams: { code: -32602, status: 200 },
  internalError: { code: -32603, status: 200 },
  headerMismatch: { code: -32020, status: 400 },
  missingRequiredClientCapability: { code: -32021, status: 400 },
  unsupportedProtocolVersion: { code: -32022, status: 400 },
} as const;

/** The name of a wire error. */
export type ErrorName = keyof typeof errorCodes;

/**
 * The codes that came with the modern revisions: whoever sends one is of a modern revision.
 *
 * Spec: basic/versioning#backward-compatibility-with-initialization-based-versions (2026-07-28).
 */
export const modernErrorCodes: ReadonlySet<number> = new Set([
  errorCodes.headerMismatch.code,
  errorCodes.missingRequiredClientCapability.code,
  errorCodes.unsupportedProtocolVersion.code,
]);

/**
 * Not-found code of servers before 2026-07-28: accepted from a peer, never sent. Spec: server/resources (2026-07-28).
 */
export const legacyResourceNotFound = -32002;

/**
 * The error of revision 2025-11-25 with which a server asks for pages before it runs a request: accepted from a peer,
 * never sent. Spec: 2025-11-25/client/elicitation#url-elicitation-required-error.
 */
export const legacyUrlElicitationRequired = -32042;

import type { KeyPath } from '@switchyard/config';

/**
 * Why the gateway cannot serve:
 *
 * - `no-agent`: nothing says which agent an unauthenticated caller is.
 * - `unknown-agent`: the agent that it is said to be does not exist.
 * - `not-loopback`: it would listen where anybody could reach it, or under a name of others, and nobody authenticates.
 * - `port-taken`, `cannot-listen`: the system does not let it listen there.
 */
export type GatewayErrorCode = 'no-agent' | 'unknown-agent' | 'not-loopback' | 'port-taken' | 'cannot-listen';

/**
 * The error that the gateway throws for its own user. It is local and never sent. `message` says what happened and what
 * to do.
 */
export class GatewayError extends Error {
  override readonly name = 'GatewayError';
  readonly code: GatewayErrorCode;
  /** The key of the configuration that it is about. */
  readonly path: KeyPath;

  constructor(code: GatewayErrorCode, message: string, path: KeyPath, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.code = code;
    this.path = path;
  }
}

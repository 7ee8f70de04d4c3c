/**
 * Why the host itself refused or failed:
 *
 * - `unknown-agent`: no agent of that name is configured.
 * - `duplicate-server`, `invalid-name`: a server cannot be mounted under that name.
 * - `invalid-policy`: an agent's policy cannot be compiled.
 * - `audit`: the audit cannot be opened or read.
 * - `closed`: the host is closed.
 */
export type HostErrorCode =
  'unknown-agent' | 'duplicate-server' | 'invalid-name' | 'invalid-policy' | 'audit' | 'closed';

/**
 * The error that the host throws for its own user. It is local and never sent. `message` says what happened and what to
 * do.
 */
export class HostError extends Error {
  override readonly name = 'HostError';
  readonly code: HostErrorCode;

  constructor(code: HostErrorCode, message: string, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.code = code;
  }
}

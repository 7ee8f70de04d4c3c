/**
 * A failure that the caller, and the model behind it, may read: a tool that throws it answers a complete result with
 * `isError: true`, the message as text and `data`, where given, as structured content. Everything else that a handler
 * throws is hidden behind a reference id.
 *
 * Spec: server/tools#error-handling (2026-07-28).
 */
export class ToolError extends Error {
  /** Tells it from other errors. */
  override readonly name = 'ToolError';
  /** The structured content of the result; `undefined` for none. */
  readonly data: unknown;

  constructor(message: string, data?: unknown) {
    super(message);
    this.data = data;
  }
}

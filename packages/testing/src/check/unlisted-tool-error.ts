/** A tool was to be called that the server does not list. `listed` are the names that it does. */
export class UnlistedToolError extends Error {
  override readonly name = 'UnlistedToolError';
  readonly listed: readonly string[];

  constructor(tool: string, listed: readonly string[]) {
    super(`the server lists no tool ${JSON.stringify(tool)}`);
    this.listed = listed;
  }
}

import type { JsonObject, Tool } from '@switchyard/protocol';
import type { HeaderFields } from '../message/connection.ts';
import type { LeftOut } from '../peer/left-out.ts';

/** What the last list of tools said about arguments that travel in headers. */
export interface ToolHeaders {
  /** Learns a whole list and answers the tools whose annotations are valid, and the others with what is wrong. */
  learn(tools: readonly Tool[]): { readonly tools: readonly Tool[]; readonly leftOut: readonly LeftOut[] };
  /**
   * Answers the headers for one call; none for a tool that was never listed. Throws a `ClientError` with code
   * `invalid-argument` for a tool that was left out and for arguments that no header can carry.
   */
  mint(name: string, args: JsonObject): HeaderFields;
}

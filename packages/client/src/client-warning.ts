import { callGuarded } from './call-guarded.ts';

/**
 * What a client survives but does not keep to itself:
 *
 * - `junk-output`: a line or event that is no JSON-RPC message.
 * - `invalid-message`: a JSON-RPC message that breaks the protocol.
 * - `unmatched-response`: an answer to an id that waits for none: never asked, or answered before.
 * - `peer-error`: an error response without an id; the server could not read something that was sent to it.
 * - `unexpected-request`: a request of the server where the revision has none.
 * - `message-too-large`: a message over the limit that belongs to no known request.
 * - `entry-left-out`: a malformed, invalid or repeated entry of a list.
 * - `paging-stopped`: a list whose pages do not end.
 * - `repaired-result`: a result that was read although it breaks its schema.
 * - `rounded-integer`: an integer that a double cannot hold was rounded.
 * - `callback-failed`: a callback of the caller threw.
 * - `left-behind`: something that was started did not end.
 */
export type ClientWarningCode =
  | 'junk-output'
  | 'invalid-message'
  | 'unmatched-response'
  | 'peer-error'
  | 'unexpected-request'
  | 'message-too-large'
  | 'entry-left-out'
  | 'paging-stopped'
  | 'repaired-result'
  | 'rounded-integer'
  | 'callback-failed'
  | 'left-behind';

/** One thing that was survived. `message` names the server; text of the peer in it is shortened and on one line. */
export interface ClientWarning {
  readonly code: ClientWarningCode;
  /** The configured name of the server. */
  readonly server: string;
  readonly message: string;
}

const MAX_WARNINGS_OF_ONE_KIND = 1000;

/**
 * Creates the function through which all parts of one client warn. After 1,000 warnings of one kind it says so once and
 * keeps silent about that kind, so that a server cannot flood a log. A message may be a function, which is not called
 * where nobody is told.
 */
export function createWarn(
  server: string,
  onWarning: ((warning: ClientWarning) => void) | undefined,
): (code: ClientWarningCode, message: string | (() => string)) => void {
  const counts = new Map<ClientWarningCode, number>();
  return (code, message) => {
    if (onWarning === undefined) return;
    const count = (counts.get(code) ?? 0) + 1;
    counts.set(code, count);
    if (count > MAX_WARNINGS_OF_ONE_KIND) return;
    const suffix = count === MAX_WARNINGS_OF_ONE_KIND ? ' (further warnings of this kind are not reported)' : '';
    // A failing log sink must not break the read loop it was told from, and there is nobody left to tell.
    callGuarded(
      () => {
        const text = typeof message === 'string' ? message : message();
        return onWarning({ code, server, message: `MCP server "${server}": ${text}${suffix}` });
      },
      () => undefined,
    );
  };
}

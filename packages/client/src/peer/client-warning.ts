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
 * - `list-changed`: a list kept changing while its pages were read, so that entries may be missing.
 * - `stale-answer`: a call failed, and an older answer stands in for it.
 * - `cache-store-failed`: the store of the response cache failed; the server is asked instead.
 * - `not-acknowledged`: a server does not agree to tell of all that a subscription asks for.
 * - `subscription-lost`: a subscription broke; it is opened again, or it is over.
 * - `repaired-result`: a result that was read although it breaks its schema.
 * - `rule-broken`: arguments or a result that break a rule whose check only warns, or a definition that is known to be
 *   old.
 * - `unchecked-tool`: a tool with a schema that cannot be used, which stays, as `checks.unreadableSchemas` and
 *   `checks.schemas` say.
 * - `unchecked-pattern`: a tool whose schemas hold a pattern that cannot be checked in linear time.
 * - `unsafe-url`: a link with an unsafe scheme was dropped, or an icon that must not be used.
 * - `notification-flood`: more notifications than pass in a second; they are put together, log messages dropped.
 * - `rounded-integer`: an integer that a double cannot hold was rounded.
 * - `callback-failed`: a callback of the caller threw.
 * - `input-declined`: a request for input was declined by itself: a form for secrets, a URL that must not be opened.
 * - `input-failed`: a request for input of a legacy server got an error, because its handler failed.
 * - `stream-lost`: the stream of what a legacy server sends by itself ended for good.
 * - `token-not-stored`: the store of tokens did not keep a new one; it is used, and storing it is tried again.
 * - `left-behind`: something that was started did not end, or something that was written could not be removed.
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
  | 'list-changed'
  | 'stale-answer'
  | 'cache-store-failed'
  | 'not-acknowledged'
  | 'subscription-lost'
  | 'repaired-result'
  | 'rule-broken'
  | 'unchecked-tool'
  | 'unchecked-pattern'
  | 'unsafe-url'
  | 'notification-flood'
  | 'rounded-integer'
  | 'callback-failed'
  | 'input-declined'
  | 'input-failed'
  | 'stream-lost'
  | 'token-not-stored'
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
  const prefix = `MCP server "${server}": `;
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
        // A message of an error that is passed on names the server already.
        const named = text.startsWith(prefix) ? text : prefix + text;
        return onWarning({ code, server, message: named + suffix });
      },
      () => undefined,
    );
  };
}

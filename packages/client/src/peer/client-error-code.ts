/**
 * What can go wrong on this side of the wire. The set is closed:
 *
 * - `timeout`: a deadline passed; the request was cancelled where the transport can.
 * - `aborted`: the caller's signal aborted, or the server cancelled the task that was waited for.
 * - `closed`: the connection ended, or the client was closed, before the answer came.
 * - `start-failed`: a child process could not be started, or ended before it had answered once.
 * - `connect-failed`: no connection was made, so nothing was sent: name lookup, refused connection, TLS.
 * - `unauthorized`: HTTP 401; `challenge` holds the `WWW-Authenticate` header.
 * - `http-status`: any other HTTP status that carries no answer, redirects included; `status` holds it.
 * - `version`: no protocol revision that both sides speak.
 * - `invalid-response`: an answer that breaks the protocol.
 * - `too-large`: an answer over `maxMessageBytes`.
 * - `unexpected-input-required`: the server asks for input, which this client cannot give.
 * - `input-refused`: the user, or the handler that asks him, gave the server no answer.
 * - `too-many-rounds`: the server did not stop asking.
 * - `outcome-unknown`: a call that may have had an effect was sent, and its answer is lost; it is not sent again.
 * - `circuit-open`: the server ended too often in a row and is not started again for a while.
 * - `authorization`: no token could be had; `oauthError` holds the authorization server's own code, where it gave one.
 * - `result-rejected`: the result is not what the server promised, or is over a limit.
 * - `invalid-argument`: the caller's own target, option or argument cannot be sent.
 *
 * Codes that are easily taken for each other:
 *
 * - `aborted` is the will of whoever waits for this one answer, by its signal, or that of the server about a task. `closed`
 *   concerns the whole connection: it broke, the server ended, or `close()` was called. No code tells the last one apart:
 *   who closed the client knows that, and on any other client the next call opens a connection again.
 * - `unauthorized`: the server refused who calls. `authorization`: it was not asked, since no credentials could be had
 *   from elsewhere: a user, an authorization server, the function of `headers`. `http-status` 403: it knows who calls, and
 *   refuses that.
 * - `http-status`: there is nothing but a status, often of a proxy. An error of the protocol is a `ProtocolError` whatever
 *   its status.
 * - `too-large`: more bytes than are read at all. `result-rejected`: what was read whole is over `resultSize`, or is not
 *   what was promised; so is an icon, a skill, and what its size or digest does not fit.
 * - `unexpected-input-required`: nobody is there to ask. `input-refused`: somebody was asked, and gave no answer.
 */
export type ClientErrorCode =
  | 'timeout'
  | 'aborted'
  | 'closed'
  | 'start-failed'
  | 'connect-failed'
  | 'unauthorized'
  | 'http-status'
  | 'version'
  | 'invalid-response'
  | 'too-large'
  | 'unexpected-input-required'
  | 'input-refused'
  | 'too-many-rounds'
  | 'outcome-unknown'
  | 'circuit-open'
  | 'authorization'
  | 'result-rejected'
  | 'invalid-argument';

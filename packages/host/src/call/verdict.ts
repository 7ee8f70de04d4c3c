import { type ErrorBody, present } from '@switchyard/protocol';
import type { CallEffect } from '../audit/record.ts';

/**
 * Why a call did not complete. `code` is the positive application code that carries the reason in a JSON-RPC error; a
 * reason without one has a wire form of the protocol. No second list of reasons or codes exists.
 */
export const verdictReasons = {
  /** Nothing of that name exists. Outside it is -32602, and so is `denied`, word for word. */
  unknown: {},
  /** The agent's policy does not let it. */
  denied: {},
  /** Several servers of the caller's catalog claim the URI. */
  ambiguous: {},
  /** The arguments break the definition or a limit; nothing ran. */
  'invalid-arguments': {},
  /** The policy wants an approval first. */
  'approval-required': { code: 1101 },
  /** Too many calls run already. */
  overloaded: { code: 1102 },
  /** The intent could not be recorded, so nothing ran. */
  'audit-unavailable': { code: 1103 },
  /** The server's definition of the tool cannot be used; nothing ran. */
  'definition-rejected': { code: 1104 },
  /** The server cannot be reached, or was lost before it answered. */
  unavailable: { code: 1201 },
  /** The deadline passed. */
  timeout: { code: 1202 },
  /** The caller gave the call up. */
  cancelled: { code: 1203 },
  /** The server answered with a protocol error. */
  'upstream-error': { code: 1204 },
  /** The server's answer breaks its own definition, the protocol or a limit. */
  'result-rejected': { code: 1205 },
  /** A defect of the host; the log has it under the call id. */
  internal: {},
} as const satisfies { readonly [reason: string]: { readonly code?: number } };

export type VerdictReason = keyof typeof verdictReasons;

/** What a caller in this process may know beyond what travels. It is never sent. */
export interface VerdictDetails {
  /** Why the server is unavailable, in one sentence that may name paths of this machine. */
  readonly cause?: string;
  /** The last lines that the server wrote to stderr, cleaned. */
  readonly stderr?: readonly string[];
  /** The ids of the policies that decided, such as `deny[0]`. */
  readonly policies?: readonly string[];
}

/**
 * Why a call did not complete. `message` names what it is about, says of a tool call without a usable answer whether it
 * was sent, and may be shown to any caller and to a model.
 */
export interface Verdict {
  readonly reason: VerdictReason;
  readonly message: string;
  /** What a tool call that was let through did without a usable answer; absent where it is no such call. */
  readonly effect?: CallEffect;
  /** The configured name of the server, where one was found. */
  readonly server?: string;
  /** The exposed name of the tool, for `tools/call`. */
  readonly tool?: string;
  /** The server's own error code, for `upstream-error`. */
  readonly code?: number;
  /** The server's own error, for `upstream-error`. */
  readonly upstream?: ErrorBody;
  readonly details?: VerdictDetails;
}

/** The verdict as it travels: in `_meta` of a tool result, or in the data of a JSON-RPC error. */
export type WireVerdict = Pick<Verdict, 'reason' | 'message' | 'effect' | 'server' | 'tool' | 'code'>;

/** What the keys of `_meta` begin with that only the host may set. */
export const OWN_META_PREFIX = 'dev.switchyard/';

/** The key of `_meta` under which a tool result carries a verdict. No server may set it. */
export const verdictMetaKey = `${OWN_META_PREFIX}verdict` as const;

/** Answers what of a verdict may travel. */
export function toWireVerdict({ reason, message, effect, server, tool, code }: Verdict): WireVerdict {
  return {
    reason,
    message,
    ...present({ effect, server, tool, code }),
  };
}

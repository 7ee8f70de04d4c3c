import { type JsonObject, metaKeys } from '@switchyard/protocol';

/** Version 00 has these four fields; a later version may have more behind them, within 128 characters. */
const TRACEPARENT =
  /^(?:00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}|(?!00|ff)[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}(?:-[\x21-\x7e]{0,72})?)$/;
/** The trace or the parent is nothing but zeros. */
const NO_ID = /^..-(?:0{32}|.{32}-0{16})-/;
/** At least as much must be passed on, and nobody has to take more. */
const MAX_TRACESTATE_CHARS = 512;
const MAX_TRACESTATE_MEMBERS = 32;
/** A vendor's key and an opaque value. Members may be empty. */
const TRACESTATE_MEMBER =
  /^(?:(?:[a-z0-9][a-z0-9_*/-]{0,240}@)?[a-z0-9][a-z0-9_*/-]{0,255}=[\x20-\x2b\x2d-\x3c\x3e-\x7e]{0,255}[\x21-\x2b\x2d-\x3c\x3e-\x7e])?$/;

/**
 * Answers what of a caller's `_meta` goes on to the server: the trace, so that one trace shows the whole way, and
 * nothing else. Neither is checked by a schema or recorded, so only what has the form of a trace is one: anything else
 * would be a way to a server that passes by both.
 *
 * Spec: basic/index#meta (2026-07-28); W3C Trace Context, sections 3.2 and 3.3.
 */
export function traceOf(meta: JsonObject): JsonObject {
  const { [metaKeys.traceparent]: traceparent, [metaKeys.tracestate]: tracestate } = meta;
  if (typeof traceparent !== 'string' || !TRACEPARENT.test(traceparent) || NO_ID.test(traceparent)) return {};
  const isState = typeof tracestate === 'string' && isTracestate(tracestate);
  return { [metaKeys.traceparent]: traceparent, ...(isState ? { [metaKeys.tracestate]: tracestate } : {}) };
}

function isTracestate(text: string): boolean {
  if (text === '' || text.length > MAX_TRACESTATE_CHARS) return false;
  const members = text.split(',').map((member) => member.replace(/^[ \t]+|[ \t]+$/g, ''));
  return members.length <= MAX_TRACESTATE_MEMBERS && members.every((member) => TRACESTATE_MEMBER.test(member));
}

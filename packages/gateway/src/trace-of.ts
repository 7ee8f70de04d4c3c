import { type JsonObject, metaKeys } from '@switchyard/protocol';

/** Version 00 has these four fields; a later version may have more behind them, within 128 characters. */
const TRACEPARENT =
  /^(?:00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}|(?!00|ff)[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}(?:-[\x21-\x7e]{0,72})?)$/;
/** At least as much must be passed on, and nobody has to take more. */
const TRACESTATE = /^[\x20-\x7e]{1,512}$/;

/**
 * Answers what of a caller's `_meta` goes on to the server: the trace, so that one trace shows the whole way, and nothing
 * else. Neither is checked by a schema or recorded, so only what has the form of a trace is one: anything else would be a
 * way to a server that passes by both.
 *
 * Spec: basic/index#meta (2026-07-28); W3C Trace Context, sections 3.2 and 3.3.
 */
export function traceOf(meta: JsonObject): JsonObject {
  const { [metaKeys.traceparent]: traceparent, [metaKeys.tracestate]: tracestate } = meta;
  if (typeof traceparent !== 'string' || !TRACEPARENT.test(traceparent)) return {};
  const isState = typeof tracestate === 'string' && TRACESTATE.test(tracestate);
  return { [metaKeys.traceparent]: traceparent, ...(isState ? { [metaKeys.tracestate]: tracestate } : {}) };
}

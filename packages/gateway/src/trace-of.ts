import { type JsonObject, metaKeys, traceForms } from '@switchyard/protocol';

/** At least as much must be passed on, and nobody has to take more. */
const MAX_TRACESTATE_CHARS = 512;

/**
 * Answers what of a caller's `_meta` goes on to the server: the trace, so that one trace shows the whole way, and
 * nothing else. Neither is checked by a schema or recorded, so only what has the form of a trace is one: anything else
 * would be a way to a server that passes by both.
 *
 * Spec: basic/index#meta (2026-07-28); W3C Trace Context, sections 3.2 and 3.3.
 */
export function traceOf(meta: JsonObject): JsonObject {
  const { [metaKeys.traceparent]: traceparent, [metaKeys.tracestate]: tracestate } = meta;
  if (!hasForm(metaKeys.traceparent, traceparent)) return {};
  const isState =
    typeof tracestate === 'string' &&
    tracestate.length <= MAX_TRACESTATE_CHARS &&
    hasForm(metaKeys.tracestate, tracestate);
  return { [metaKeys.traceparent]: traceparent, ...(isState ? { [metaKeys.tracestate]: tracestate } : {}) };
}

function hasForm(key: string, value: unknown): boolean {
  return traceForms.get(key)?.(value) === true;
}

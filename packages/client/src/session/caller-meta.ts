import { type JsonObject, requestMetaKeys } from '@switchyard/protocol';

const NONE: JsonObject = {};

/**
 * Answers the keys of `_meta` that a caller may add to a request, such as `traceparent`. Those that the client itself
 * is responsible for are left out, so that metadata of another conversation cannot be passed on by accident.
 *
 * Spec: basic/index#meta (2026-07-28).
 */
export function callerMeta(meta: JsonObject | undefined): JsonObject {
  if (meta === undefined) return NONE;
  return Object.fromEntries(Object.entries(meta).filter(([key]) => !requestMetaKeys.has(key)));
}

import { isJsonObject, type JsonObject, metaKeys, requestMetaKeys } from '@switchyard/protocol';

/**
 * Answers whether the params of a message have metadata that only messages of the modern era have, even if they have
 * them wrong. A token for progress has the same place in both.
 *
 * Spec: basic/versioning#backward-compatibility-with-initialization-based-versions (2026-07-28).
 */
export function hasModernMeta(params: JsonObject | undefined): boolean {
  const meta = params?.['_meta'];
  if (!isJsonObject(meta)) return false;
  if (meta[metaKeys.protocolVersion] !== undefined) return true;
  return Object.keys(meta).some((key) => key !== metaKeys.progressToken && requestMetaKeys.has(key));
}

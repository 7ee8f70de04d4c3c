import { clip, isMetaKey, isReservedMetaKey, type JsonObject, metaKeys } from '@switchyard/protocol';

/**
 * Refuses metadata of a definition under keys that break the rules, or that only the protocol defines. `about` names
 * the definition.
 *
 * Spec: basic/index#meta (2026-07-28).
 *
 * @throws TypeError
 */
export function assertMeta(about: string, meta: JsonObject | undefined): void {
  for (const key of Object.keys(meta ?? {})) {
    if (isMetaKey(key) && (!isReservedMetaKey(key) || isOfExtension(key))) continue;
    const problem = isMetaKey(key) ? 'belongs to the protocol' : 'is no key of metadata';
    throw new TypeError(
      `${about}: the meta key ${JSON.stringify(clip(key))} ${problem}; write one like com.example/owner`,
    );
  }
}

const coreKeys: ReadonlySet<string> = new Set(Object.values(metaKeys));

/**
 * Official extensions define keys of definitions under the protocol's own prefix, which their authors have to write.
 */
function isOfExtension(key: string): boolean {
  return key.startsWith('io.modelcontextprotocol/') && !coreKeys.has(key);
}

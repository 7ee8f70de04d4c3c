import { isJsonObject, type ReadResourceResult, stringifyJson } from '@switchyard/protocol';
import { digestOf } from '../peer/digest.ts';

/** Members by which servers name a version; others, such as the time of the answer, change with each reading. */
const versionMembers: ReadonlySet<string> = new Set(['version', 'etag', 'revision', 'lastModified']);

/**
 * Answers a text that differs when what a resource holds differs: a digest of its contents and of what names their
 * version. The order of contents counts, and other metadata does not.
 */
export function versionOf({ contents }: ReadResourceResult): string {
  const parts = contents.map((content) => {
    const { uri, mimeType, text, blob, annotations, _meta } = content as { readonly [name: string]: unknown };
    return [uri, mimeType, text, blob, markersOf(annotations), markersOf(_meta)];
  });
  return digestOf('resource-version', stringifyJson(parts));
}

/** A key of `_meta` may have a prefix, as in `com.example/etag`. */
function markersOf(holder: unknown): readonly unknown[] {
  if (!isJsonObject(holder)) return [];
  return Object.entries(holder)
    .filter(([key]) => versionMembers.has(key.slice(key.lastIndexOf('/') + 1)))
    .sort(([a], [b]) => (a < b ? -1 : 1));
}

import type { Root } from '@switchyard/protocol';

/**
 * Answers a root with its URI in canonical form, or one sentence on why it is none: it must be an absolute `file:` URI
 * of this machine without dot segments, encoded separators, credentials, query or fragment.
 *
 * Spec: client/roots#security-considerations (2026-07-28).
 */
export function canonicalRoot(root: Root): { readonly root: Root } | { readonly problem: string } {
  const { uri } = root;
  if (!/^file:\/\//i.test(uri) || !URL.canParse(uri)) return { problem: 'must be a URI that begins with file://' };
  // The parser resolves dot segments, so that they can be seen in the text alone.
  if (/[/\\](?:\.|%2e){1,2}(?:[/\\?#]|$)/i.test(uri)) return { problem: 'must not have dot segments' };
  if (/%2f|%5c|%00|[\\\p{Cc}\p{Cf}]/iu.test(uri))
    return { problem: 'must not have encoded separators or control characters' };
  const url = new URL(uri);
  if (url.host !== '') return { problem: 'must not name another machine' };
  if (url.search !== '' || url.hash !== '') return { problem: 'must not have a query or a fragment' };
  return { root: { ...root, uri: url.href } };
}

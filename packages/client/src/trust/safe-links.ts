import type { ContentBlock, Implementation } from '@switchyard/protocol';
import { quoted } from '../peer/excerpt.ts';
import type { PeerContext } from '../peer/peer-context.ts';
import { holdsControls, whyUnsafeUrl } from './unsafe-url.ts';

/**
 * Answers content without the links and embedded resources whose URI {@link whyUnsafeUrl} speaks against; each has a
 * warning. Where nothing is wrong it is the same array.
 */
export function withSafeLinks(
  context: PeerContext,
  what: () => string,
  content: readonly ContentBlock[],
): readonly ContentBlock[] {
  return safeOnly(context, what, content, uriOf);
}

/** Answers the entries whose URI nothing speaks against. */
export function safeOnly<T>(
  context: PeerContext,
  what: () => string,
  entries: readonly T[],
  urlOf: (entry: T) => string | undefined,
): readonly T[] {
  const safe = entries.filter((entry) => {
    const url = urlOf(entry);
    const problem = url === undefined ? undefined : whyUnsafeUrl(url);
    if (problem === undefined) return true;
    context.warn(
      'unsafe-url',
      () => `its result of ${what()} links to ${quoted(url ?? '')}, which is dropped: ${problem}.`,
    );
    return false;
  });
  return safe.length === entries.length ? entries : safe;
}

/**
 * Answers whether a URI is that of a resource that was asked for, or lies below it: whoever asked named it, so that
 * nobody is led anywhere.
 */
export function isWithin(asked: string, uri: string): boolean {
  if (uri === asked) return true;
  if (!uri.startsWith(asked) || holdsControls(uri)) return false;
  return asked.endsWith('/') || '/?#'.includes(uri.charAt(asked.length));
}

/** Answers what a server says of itself without a `websiteUrl` that is not safe. */
export function withSafeWebsite(context: PeerContext, info: Implementation): Implementation {
  const { websiteUrl, ...rest } = info;
  const problem = websiteUrl === undefined ? undefined : whyUnsafeUrl(websiteUrl);
  if (problem === undefined) return info;
  context.warn('unsafe-url', () => `its websiteUrl ${quoted(websiteUrl ?? '')} is dropped: ${problem}.`);
  return rest;
}

function uriOf(block: ContentBlock): string | undefined {
  if (block.type === 'resource_link') return block.uri;
  return block.type === 'resource' ? block.resource.uri : undefined;
}

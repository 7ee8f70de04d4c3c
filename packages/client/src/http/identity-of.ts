import { digestOf } from '../peer/digest.ts';

/**
 * Answers what a URL reaches as a key: scheme, host and path, and where there is a query its digest, since a query
 * tells servers apart and may hold keys. User, password and fragment do not count. What is no URL has a key of its own.
 */
export function identityOf(url: string | URL): string {
  const parsed = URL.parse(url);
  if (parsed === null) return `unreadable:${digestOf('url', String(url))}`;
  const { protocol, host, pathname, search } = parsed;
  return `${protocol}//${host}${pathname}${search === '' ? '' : `?${digestOf('query', search)}`}`;
}

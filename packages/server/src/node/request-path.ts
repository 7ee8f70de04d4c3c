import type { IncomingMessage } from 'node:http';

/**
 * Answers a path as clients send it: dots resolved, everything but ASCII percent-encoded.
 *
 * @throws TypeError when it does not begin with one `/`, or has a query or a fragment.
 */
export function toPath(path: string): string {
  if (!/^\/(?!\/)[^?#\s\\]*$/.test(path))
    throw new TypeError(
      `the path of the endpoint must begin with one "/" and have no query, not ${JSON.stringify(path)}`,
    );
  return new URL(path, 'http://localhost').pathname;
}

/** Answers the path that a request names, without its query. */
export function pathOf(request: IncomingMessage): string {
  const url = request.url ?? '';
  const target = url.startsWith('/') ? url : originForm(url, request.headers.host);
  const query = target.indexOf('?');
  return query < 0 ? target : target.slice(0, query);
}

/**
 * Takes the absolute form of a target, too, where `Host`, which is what is checked, repeats it. Spec: RFC 9112 section
 * 3.2.2.
 */
function originForm(url: string, host: string | undefined): string {
  const [, authority, path] = /^http:\/\/([^/?]+)(\/.*)$/i.exec(url) ?? [];
  return path === undefined || authority?.toLowerCase() !== host?.toLowerCase() ? url : path;
}

import { isLoopbackUrl } from '@switchyard/protocol';

/**
 * What makes a URL doubtful:
 *
 * - `not-https`: whoever is on the way can read and change the page; loopback aside.
 * - `userinfo`: something stands before an `@`, which can pass for the host.
 * - `punycode`: the host has letters outside ASCII, some of which look like others.
 * - `ip-address`: the host is a number and no name; loopback aside.
 * - `rewritten`: it was written in another way than a browser reads it: backslashes, spaces, control characters, other
 *   than two slashes before the host, a host that reads as another one.
 */
export type UrlConcern = 'not-https' | 'userinfo' | 'punycode' | 'ip-address' | 'rewritten';

/** A URL that can be shown. */
interface InspectedUrl {
  readonly url: string;
  readonly host: string;
  readonly concerns: readonly UrlConcern[];
}

const MAX_URL_LENGTH = 8192;

/**
 * Looks at a URL of a server before a person does; nothing is fetched. Answers one sentence where it must not be opened:
 * no absolute URL, a scheme other than `https:` and `http:`, over 8,192 characters.
 *
 * Spec: client/elicitation#safe-url-handling (2026-07-28).
 */
export function inspectUrl(written: string): InspectedUrl | { readonly problem: string } {
  if (written.length > MAX_URL_LENGTH) return { problem: `it is longer than ${MAX_URL_LENGTH} characters` };
  if (!URL.canParse(written)) return { problem: 'it is no absolute URL' };
  const url = new URL(written);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    return { problem: `its scheme is ${url.protocol.slice(0, 40)} and neither https: nor http:` };
  }
  const isNear = isLoopbackUrl(url);
  const concerns: UrlConcern[] = [];
  if (url.protocol !== 'https:' && !isNear) concerns.push('not-https');
  if (url.username !== '' || url.password !== '') concerns.push('userinfo');
  if (/(?:^|\.)xn--/.test(url.hostname)) concerns.push('punycode');
  if (/^\[|^\d+(?:\.\d+){3}$/.test(url.hostname) && !isNear) concerns.push('ip-address');
  if (isRewritten(written, url)) concerns.push('rewritten');
  return { url: url.href, host: url.host, concerns };
}

function isRewritten(written: string, url: URL): boolean {
  if (/[\p{Cc}\p{Cf}\s\\]/u.test(written)) return true;
  const authority = /^https?:\/\/([^/?#]+)/i.exec(written)?.[1];
  if (authority === undefined) return true;
  const host = authority.slice(authority.lastIndexOf('@') + 1).toLowerCase();
  // Letters outside ASCII have a concern of their own; a port is not written where it is the usual one.
  const isSame = [url.host, `${url.hostname}:${url.protocol === 'https:' ? 443 : 80}`, `${url.host}:`].includes(host);
  return !isSame && !/(?:^|\.)xn--/.test(url.hostname);
}

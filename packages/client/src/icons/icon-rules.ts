import type { Icon } from '@switchyard/protocol';

/** Which icons a client takes from a server. */
export interface IconsOptions {
  /**
   * Origins that icons may come from beside the server's own, such as `https://cdn.example.com`; `any` trusts all of
   * them, and every one of them may then see who looks at the icons. Default: none.
   */
  readonly trustedOrigins?: readonly string[] | 'any';
}

/** The longest `src` of an icon, in UTF-16 units: 1 MiB as Base64. */
const MAX_SRC_CHARS = 1_500_000;
const DATA_URL = /^data:image\/[a-z0-9.+-]+(?:;[a-z0-9=._-]+)*;base64,/i;
const CONTROLS = /[\u0000-\u0020\u007f-\u009f]/;

/**
 * Answers where the icons of a server may come from: its own origin, where it has one, and what the caller trusts.
 * `identity` is that of its transport. An origin that is none counts for nothing; `assertIconsOptions` tells of it.
 */
export function readTrustedOrigins(
  identity: string | undefined,
  { trustedOrigins = [] }: IconsOptions = {},
): (origin: string) => boolean {
  if (trustedOrigins === 'any') return () => true;
  const origins = new Set([identity ?? '', ...trustedOrigins].map(originOf));
  return (origin) => origins.has(origin);
}

/**
 * Answers in one clause why an icon must not be used, or `undefined`: its `src` has to be an `https:` URL of a trusted
 * origin without credentials, or a `data:` URL of an image as Base64.
 *
 * Spec: basic/index#icons (2026-07-28).
 */
export function whyNoIcon({ src }: Icon, isTrustedOrigin: (origin: string) => boolean): string | undefined {
  if (src.length > MAX_SRC_CHARS) return 'its src is too long';
  // URL parsers skip such characters, so that what is checked would not be what is fetched.
  if (CONTROLS.test(src)) return 'its src holds spaces or control characters';
  if (/^data:/i.test(src)) return DATA_URL.test(src) ? undefined : 'its data URL is no image as Base64';
  const url = parseUrl(src);
  if (url?.protocol !== 'https:') return 'its src is no https: or data: URL';
  if (url.username !== '' || url.password !== '') return 'its src holds credentials';
  return isTrustedOrigin(url.origin) ? undefined : 'it comes from another origin than the server';
}

/** Answers the origin of an HTTP URL, `undefined` for anything else. */
export function originOf(url: string): string | undefined {
  const parsed = parseUrl(url);
  return parsed === undefined || !/^https?:$/.test(parsed.protocol) ? undefined : parsed.origin;
}

function parseUrl(url: string): URL | undefined {
  return URL.canParse(url) ? new URL(url) : undefined;
}

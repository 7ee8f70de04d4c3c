import { isLoopbackUrl } from '@switchyard/protocol';

/**
 * Answers whether what is sent to a URL stays confidential: HTTPS, or HTTP that does not leave this machine. Spec:
 * OAuth 2.1 section 1.5.
 */
export function isSecureUrl(url: URL): boolean {
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopbackUrl(url));
}

/**
 * Answers a URL as it was given.
 *
 * @throws TypeError when it is none, is neither HTTPS nor HTTP on a loopback host, or has user information or a
 *   fragment; the message calls it `name`.
 */
export function toSecureUrl(name: string, given: string): string {
  const url = typeof given === 'string' && URL.canParse(given) ? new URL(given) : undefined;
  if (url === undefined || !isSecureUrl(url) || url.username !== '' || url.password !== '' || given.includes('#'))
    throw new TypeError(
      `${name} must be an https URL without user and fragment (http on a loopback host only), not ${JSON.stringify(given)}`,
    );
  return given;
}

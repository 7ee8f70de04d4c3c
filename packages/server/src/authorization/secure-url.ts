import { isLoopback } from '../exchange/loopback.ts';

/**
 * Answers whether what is sent to a URL stays confidential: HTTPS, or HTTP that does not leave this machine. Spec: OAuth 2.1 section
 * 1.5.
 */
export function isSecureUrl({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname.replace(/^\[|\]$/g, '')));
}

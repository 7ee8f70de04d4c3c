const IPV4 = /^127(?:\.(?:0|[1-9]\d?|1\d\d|2[0-4]\d|25[0-5])){3}$/;
const IPV6 = /^[0-9a-f:.]*:[0-9a-f:.]*$/;
const MAPPED_IPV4 = /^\[::ffff:7f[0-9a-f]{2}:[0-9a-f]{1,4}\]$/;

/**
 * Answers whether a host is this machine alone: `localhost`, an address of 127.0.0.0/8, `::1`, or an address of
 * 127.0.0.0/8 mapped to IPv6, in any spelling of IPv6 and in either letter case. IPv6 stands without brackets, and
 * nothing has a port. Short and octal spellings of IPv4 are refused, since programs read them differently.
 *
 * Spec: basic/transports/streamable-http#security-warning (2026-07-28); RFC 1122 section 3.2.1.3, RFC 4291 section 2.5.
 */
export function isLoopback(host: string): boolean {
  const name = host.toLowerCase();
  if (name === 'localhost' || IPV4.test(name)) return true;
  if (!IPV6.test(name)) return false;
  const url = `http://[${name}]/`;
  if (!URL.canParse(url)) return false;
  const { hostname } = new URL(url);
  return hostname === '[::1]' || MAPPED_IPV4.test(hostname);
}

/** Answers whether a URL leads to this machine alone, by {@link isLoopback}. A name that ends with a dot is the same name. */
export function isLoopbackUrl({ hostname }: URL): boolean {
  return isLoopback(hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, ''));
}

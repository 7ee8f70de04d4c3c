/**
 * Answers whether a body is compressed, by its `Content-Encoding`: a list of names without regard to case, of which
 * `identity` and empty ones mean nothing.
 *
 * Spec: RFC 9110, sections 5.6.1 and 8.4.
 */
export function isCompressed(contentEncoding: string | null): boolean {
  const codings = (contentEncoding ?? '').split(',').map((coding) => coding.trim().toLowerCase());
  return codings.some((coding) => coding !== '' && coding !== 'identity');
}

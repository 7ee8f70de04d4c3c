/**
 * Signature algorithms that a token may have unless an option says otherwise. All are asymmetric: whoever can check a
 * token must not be able to make one. Spec: RFC 8725 sections 3.1 and 3.2.
 */
const tokenAlgorithms: readonly string[] = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
];

/** Signature algorithms that a DPoP proof may have, as they are advertised. Spec: RFC 9449 section 5.1. */
export const dpopAlgorithms: readonly string[] = ['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519', 'PS256', 'RS256'];

/**
 * Answers algorithms given as an option.
 *
 * @throws TypeError when one is not asymmetric or unknown: `none` signs nothing, and the key of `HS256` would be
 *   published.
 */
export function toTokenAlgorithms(given: readonly string[] = tokenAlgorithms): string[] {
  for (const algorithm of given)
    if (!tokenAlgorithms.includes(algorithm))
      throw new TypeError(`algorithms: ${JSON.stringify(algorithm)} is none of ${tokenAlgorithms.join(', ')}`);
  if (given.length === 0) throw new TypeError('algorithms must name at least one');
  return [...given];
}

const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]+$/;

/** Which scopes a broader one implies, by the broader one; implied scopes may imply further ones. */
export type ImpliedScopes = { readonly [scope: string]: readonly string[] };

/**
 * Answers scopes that may stand in a challenge.
 *
 * @throws TypeError when one is no scope token (RFC 6749 section 3.3), or is `offline_access`, which asks for a refresh
 *   token and is no requirement of a resource; the message calls the list `name`. Spec:
 *   basic/authorization#refresh-tokens (2026-07-28).
 */
export function toScopes(name: string, given: readonly string[]): readonly string[] {
  for (const scope of given) {
    if (typeof scope !== 'string' || !SCOPE.test(scope))
      throw new TypeError(`${name}: ${JSON.stringify(scope)} is no scope: visible ASCII without space, " and \\`);
    if (scope === 'offline_access')
      throw new TypeError(`${name}: offline_access is for clients to ask of their authorization server; leave it out`);
  }
  return [...new Set(given)];
}

/**
 * Answers the scopes of a token: a list in one text, parted by spaces, or an array of texts. Anything else holds none.
 */
export function readScopes(claim: unknown): readonly string[] {
  const listed: readonly unknown[] = typeof claim === 'string' ? claim.split(' ') : Array.isArray(claim) ? claim : [];
  return [...new Set(listed.filter((scope): scope is string => typeof scope === 'string' && SCOPE.test(scope)))];
}

/**
 * Makes the function that answers which of the required scopes are neither granted nor implied by a granted one, at any
 * depth; cycles are harmless.
 *
 * Spec: basic/authorization#step-up-authorization-flow (2026-07-28).
 */
export function createMissingScopes(
  implies: ImpliedScopes = {},
): (granted: readonly string[], required: readonly string[]) => readonly string[] {
  const implied = new Map(
    Object.entries(implies).map(([scope, narrower]) => [
      scope,
      toScopes(`implies[${JSON.stringify(scope)}]`, narrower),
    ]),
  );
  return (granted, required) => {
    const held = new Set(granted);
    // A set hands out what is added while it is walked.
    for (const scope of held) for (const narrower of implied.get(scope) ?? []) held.add(narrower);
    return required.filter((scope) => !held.has(scope));
  };
}

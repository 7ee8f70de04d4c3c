/** How much of scopes is asked for: an authorization server gets it in a URL, and a store keeps it. */
const MAX_SCOPES = 200;
const MAX_CHARS = 8192;

/** Takes a scope string apart; what stands twice counts once. Spec: RFC 6749 section 3.3. */
export function parseScope(scope: string | undefined): readonly string[] {
  return unionOf((scope ?? '').split(/[ \t]+/).filter((token) => token !== ''));
}

/** Answers each scope of several sets once, in the order of their first place. */
export function unionOf(...sets: readonly (readonly string[])[]): readonly string[] {
  return [...new Set(sets.flat())];
}

/**
 * Answers what may be asked for: all of the first set, which is configured, and of the others, the foremost first, as
 * much as makes 200 scopes and 8,192 characters in all. What servers name over the years must not add up.
 */
export function boundedUnion(
  configured: readonly string[],
  ...others: readonly (readonly string[])[]
): ReadonlySet<string> {
  const taken = new Set(configured);
  let chars = configured.join(' ').length;
  for (const scope of others.flat()) {
    if (taken.has(scope)) continue;
    chars += scope.length + 1;
    if (taken.size >= MAX_SCOPES || chars > MAX_CHARS) break;
    taken.add(scope);
  }
  return taken;
}

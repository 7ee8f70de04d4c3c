/** Takes a scope string apart; what stands twice counts once. Spec: RFC 6749 section 3.3. */
export function parseScope(scope: string | undefined): readonly string[] {
  return unionOf((scope ?? '').split(/[ \t]+/).filter((token) => token !== ''));
}

/** Answers each scope of several sets once, in the order of their first place. */
export function unionOf(...sets: readonly (readonly string[])[]): readonly string[] {
  return [...new Set(sets.flat())];
}

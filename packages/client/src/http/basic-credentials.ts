/** Answers what stands behind `Basic` in an `Authorization` header: user and password, as UTF-8. Spec: RFC 7617. */
export function encodeBasic(user: string, password: string): string {
  return btoa(String.fromCharCode(...new TextEncoder().encode(`${user}:${password}`)));
}

/** Takes what stands behind `Basic` apart, or answers `undefined` where it is no such thing. */
export function decodeBasic(encoded: string): { readonly user: string; readonly password: string } | undefined {
  let pair: string;
  try {
    pair = new TextDecoder().decode(Uint8Array.from(atob(encoded), (character) => character.charCodeAt(0)));
  } catch {
    // No Base64.
    return undefined;
  }
  const colon = pair.indexOf(':');
  return colon === -1 ? undefined : { user: pair.slice(0, colon), password: pair.slice(colon + 1) };
}

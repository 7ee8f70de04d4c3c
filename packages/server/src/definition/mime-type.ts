const PATTERN = /^[a-z0-9][a-z0-9!#$&^_.+-]*\/[a-z0-9][a-z0-9!#$&^_.+-]*(?:[ \t]*;.*)?$/i;

/** Answers whether a text names a media type, parameters allowed. Spec: RFC 6838 section 4.2. */
export function isMimeType(text: string): boolean {
  return PATTERN.test(text);
}

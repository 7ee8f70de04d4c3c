/** The longest name of a server or an agent, in UTF-16 code units. */
export const MAX_NAME_CHARS = 64;

/**
 * What a name of a server or an agent looks like, as a pattern of the published schema. Colons separate parts of an
 * access entry, stars are its wildcards and slashes part URIs, so a name holds none.
 */
export const NAME_PATTERN = String.raw`^(?!\s)(?!.*\s$)[^/:*\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]+$`;

/** The rule of {@link NAME_PATTERN} in words, as the end of a sentence. */
export const NAME_RULE =
  'must not be empty, start or end with a space, or hold a slash, a colon, a star or a control character';

const NAME = new RegExp(NAME_PATTERN, 'u');

/**
 * Answers what is wrong with a name for a server or an agent, as the end of a sentence about it; `undefined` for a good
 * one.
 */
export function problemOfName(name: string): string | undefined {
  if (name.length > MAX_NAME_CHARS) return `must have at most ${MAX_NAME_CHARS} characters`;
  return NAME.test(name) ? undefined : NAME_RULE;
}

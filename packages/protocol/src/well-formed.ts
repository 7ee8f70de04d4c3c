const UNPAIRED_SURROGATE = /\p{Surrogate}/u;

/**
 * Whether a string is well-formed Unicode, so that it has exactly one UTF-8 form.
 *
 * A string with an unpaired surrogate has none: encoders replace the surrogate by U+FFFD, which makes different strings
 * equal on the wire. (`String.prototype.isWellFormed` is newer than ES2023.)
 */
export function isWellFormed(text: string): boolean {
  return !UNPAIRED_SURROGATE.test(text);
}

/** Answers the texts of a list that somebody published, without what is none; `undefined` for what is no list. */
export function textsOf(value: unknown): readonly string[] | undefined {
  if (!Array.isArray(value)) return undefined;
  return value.filter((item): item is string => typeof item === 'string' && item !== '');
}

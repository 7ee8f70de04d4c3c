/** Words that stand for values of one transcript. */
export interface Placeholders {
  /** Answers the word for a value of a kind, such as `<state 1>`: the same for the same value, numbered in order of appearance. */
  of(kind: string, value: string): string;
}

/** Creates the placeholders of one transcript. */
export function createPlaceholders(): Placeholders {
  const kinds = new Map<string, Map<string, number>>();
  return {
    of(kind, value) {
      const values = kinds.get(kind) ?? new Map<string, number>();
      kinds.set(kind, values);
      const number = values.get(value) ?? values.size + 1;
      values.set(value, number);
      return `<${kind} ${number}>`;
    },
  };
}

import type { LookBudget } from './look-budget.ts';

const names = ['state', 'cursor', 'task', 'uuid'] as const;

/** What a placeholder stands for. */
export type PlaceholderKind = (typeof names)[number] | `data of ${number} characters`;

/** Finds every placeholder in a text, with its kind as the first group. */
export const placeholderPattern = new RegExp(`<(${names.join('|')}|data of \\d+ characters) \\d+>`, 'g');

/** Words that stand for values of one transcript. */
export interface Placeholders {
  /**
   * Answers the word for a value of a kind, such as `<state 1>`: the same for the same value, numbered in order of
   * appearance.
   */
  of(kind: PlaceholderKind, value: string): string;
  /** The budget of the text that is being cleaned; undefined outside of one. */
  readonly looks?: LookBudget;
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

/** How often each character of a text may be looked at, in whatever forms it stands within others. */
const LOOKS_PER_CHARACTER = 16;
const MIN_LOOKS = 100_000;

/** How much may still be looked at of one text and of what stands in it in another form. */
export interface LookBudget {
  /** Takes so many characters; false where no more are left. */
  take(characters: number): boolean;
}

/** Creates the budget for a text of so many characters. */
export function createLookBudget(characters: number): LookBudget {
  let left = MIN_LOOKS + LOOKS_PER_CHARACTER * characters;
  return {
    take(count) {
      left -= count;
      return left >= 0;
    },
  };
}

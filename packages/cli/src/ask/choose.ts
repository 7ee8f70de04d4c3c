import type { Dialog } from './dialog.ts';

/** A question that is answered with one of a few letters and Enter. */
export interface Choice<L extends string> {
  /** Clean text. */
  readonly message: string;
  /** What each letter means, by one lower case letter. */
  readonly letters: { readonly [letter in L]: string };
}

/**
 * Has a person choose: he types a letter and Enter, since one key alone is pressed too easily to agree to anything, and
 * Enter alone by whoever only wants to go on. Answers `undefined` and rejects as `Dialog.line` does.
 */
export async function choose<L extends string>(
  dialog: Dialog,
  { message, letters }: Choice<L>,
  signal: AbortSignal,
): Promise<L | undefined> {
  const known = Object.keys(letters) as L[];
  for (const letter of known) dialog.tell(`  ${letter}  ${letters[letter]}`);
  const named = `${known.slice(0, -1).join(', ')} or ${known.at(-1)}`;
  const line = await dialog.line(
    {
      message: `${message} (${named}, then Enter)`,
      check: (text) => (find(text) === undefined ? `Write ${named}.` : undefined),
    },
    signal,
  );
  return line === undefined ? undefined : find(line);

  function find(text: string): L | undefined {
    return known.find((letter) => letter === text.trim().toLowerCase());
  }
}

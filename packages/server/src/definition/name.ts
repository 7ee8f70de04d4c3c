import { assertText } from '@switchyard/protocol';

/** The longest name of a tool or prompt. */
export const MAX_NAME_CHARS = 128;

const PATTERN = /^[A-Za-z0-9_.-]+$/;

/**
 * Refuses a name that other implementations may not take.
 *
 * Spec: server/tools#tool-names (2026-07-28): 1 to 128 characters of `A-Z a-z 0-9 _ - .`
 *
 * @throws TypeError
 */
export function assertName(kind: 'tool' | 'prompt', name: string): void {
  assertText(`${kind}: the name, which comes first,`, name);
  if (name.length > MAX_NAME_CHARS || !PATTERN.test(name)) {
    throw new TypeError(
      `${kind} name ${JSON.stringify(name)}: use 1 to ${MAX_NAME_CHARS} characters of A-Z a-z 0-9 _ - .`,
    );
  }
}

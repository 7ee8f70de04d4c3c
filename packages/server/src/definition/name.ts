import { assertText } from '@switchyard/protocol';

const PATTERN = /^[A-Za-z0-9_.-]{1,128}$/;

/**
 * Refuses a name that other implementations may not take.
 *
 * Spec: server/tools#tool-names (2026-07-28): 1 to 128 characters of `A-Z a-z 0-9 _ - .`
 *
 * @throws TypeError
 */
export function assertName(kind: 'tool' | 'prompt', name: string): void {
  assertText(`${kind}: the name, which comes first,`, name);
  if (!PATTERN.test(name)) {
    throw new TypeError(`${kind} name ${JSON.stringify(name)}: use 1 to 128 characters of A-Z a-z 0-9 _ - .`);
  }
}

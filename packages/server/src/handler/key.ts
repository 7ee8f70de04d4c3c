import { InputError } from './input-error.ts';

const MAX_KEY_CHARS = 128;

/**
 * @throws InputError `key` for a key of an ask, a step or an effect that is no well-formed text of 1 to 128 characters,
 *   or `__proto__`.
 */
export function assertKey(kind: 'ask' | 'step' | 'effect', key: unknown): void {
  if (typeof key === 'string' && key.length > 0 && key.length <= MAX_KEY_CHARS && isUsable(key)) return;
  throw new InputError(
    'key',
    `the key of ${kind === 'step' ? 'a' : 'an'} ${kind} must be a well-formed text of 1 to ${MAX_KEY_CHARS} characters, and not __proto__`,
  );
}

function isUsable(key: string): boolean {
  return key !== '__proto__' && key.isWellFormed();
}

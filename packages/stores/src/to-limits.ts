import { toLimit } from '@switchyard/protocol';

/**
 * Answers `defaults` with what the caller names in their place; other members of `given` stay out.
 *
 * @throws TypeError when a limit is no integer of at least 1.
 */
export function toLimits<T extends { readonly [name in keyof T]: number }>(
  defaults: T,
  given: { readonly [name in keyof T]?: number },
): T {
  const limits = Object.entries<number>(defaults).map(([name, usual]) => [
    name,
    toLimit(name, given[name as keyof T] ?? usual, 1),
  ]);
  return Object.fromEntries(limits) as T;
}

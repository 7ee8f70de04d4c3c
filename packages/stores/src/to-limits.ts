import { type KnownOptions, toLimit } from '@switchyard/protocol';

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

/** The names of limits as options that are known. */
export function limitOptions<T extends object>(defaults: Required<T>): KnownOptions<T> {
  return Object.fromEntries(Object.keys(defaults).map((name) => [name, true])) as KnownOptions<T>;
}

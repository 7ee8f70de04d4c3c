import type { Icon } from '@switchyard/protocol';
import { quoted } from '../peer/excerpt.ts';
import type { PeerContext } from '../peer/peer-context.ts';
import { whyNoIcon } from './icon-rules.ts';

/** Most icons of one thing. */
const MAX_ICONS = 32;

/**
 * Answers a tool, resource, prompt or implementation without the icons that must not be used; each of them has a
 * warning. Where all may be used it is the same object.
 *
 * Spec: basic/index#icons (2026-07-28).
 */
export function withUsableIcons<T>(context: PeerContext, what: string, entry: T): T {
  const { icons } = entry as { readonly icons?: readonly Icon[] };
  if (icons === undefined) return entry;
  const usable = icons.slice(0, MAX_ICONS).filter((icon) => {
    const problem = whyNoIcon(icon, context.isTrustedOrigin);
    if (problem === undefined) return true;
    context.warn('unsafe-url', () => `an icon of ${what}, ${quoted(icon.src)}, is dropped: ${problem}.`);
    return false;
  });
  if (icons.length > MAX_ICONS) {
    context.warn(
      'unsafe-url',
      () => `${what} has ${icons.length} icons; those after the first ${MAX_ICONS} are dropped.`,
    );
  }
  if (usable.length === icons.length) return entry;
  const { icons: _, ...rest } = entry as { readonly icons?: unknown };
  return (usable.length === 0 ? rest : { ...rest, icons: usable }) as T;
}

/**
 * The same for the entries of a list; `keyOf` answers by what an entry is told from the others. Where all icons may be
 * used it is the same array.
 */
export function withUsableEntries<T>(
  context: PeerContext,
  entries: readonly T[],
  keyOf: (entry: T) => string,
): readonly T[] {
  let hasChanged = false;
  const usable = entries.map((entry) => {
    const { icons } = entry as { readonly icons?: unknown };
    if (icons === undefined) return entry;
    const one = withUsableIcons(context, quoted(keyOf(entry)), entry);
    hasChanged ||= one !== entry;
    return one;
  });
  return hasChanged ? usable : entries;
}

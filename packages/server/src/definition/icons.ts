import { clip, describeMisfit, icon, type Icon } from '@switchyard/protocol';

/**
 * Refuses icons that break the rules: each has a `src` that clients fetch or read (`https:`, `http:` or `data:`),
 * `sizes` such as `48x48` or `any`, and as `theme` `light` or `dark`. `about` names what they are of.
 *
 * Spec: basic/index#icons (2026-07-28).
 *
 * @throws TypeError
 */
export function assertIcons(about: string, icons: readonly Icon[] | undefined): void {
  for (const [index, each] of (icons ?? []).entries()) {
    const name = `icons[${index}]`;
    const misfit = icon(each);
    if (misfit !== undefined) throw new TypeError(`${about}: ${describeMisfit(name, misfit)}`);
    if (!URL.canParse(each.src) || !protocols.has(new URL(each.src).protocol))
      throw new TypeError(
        `${about}: ${name}.src must be an https: or data: URI, not ${JSON.stringify(clip(each.src))}`,
      );
    const size = each.sizes?.find((given) => given !== 'any' && !/^[1-9]\d*x[1-9]\d*$/.test(given));
    if (size !== undefined)
      throw new TypeError(`${about}: ${name}.sizes holds ${JSON.stringify(clip(size))}; write one like 48x48, or any`);
  }
}

const protocols: ReadonlySet<string> = new Set(['https:', 'http:', 'data:']);

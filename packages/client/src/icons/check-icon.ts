import { whyUnsafeSvg } from './check-svg.ts';
import { declaredImageType, detectImageType, type ImageType } from './image-format.ts';
import { type ImageSize, measureImage } from './image-size.ts';

/** What an icon may be at most. */
export interface IconLimits {
  /** The longest side, in pixels. */
  readonly maxSide: number;
  readonly maxFrames: number;
  /** What becomes of an SVG that is not safe, and of any. */
  readonly svg: 'safe' | 'untrusted' | 'refuse';
}

/** An icon that passed. */
export interface CheckedIcon {
  /** What its bytes are, whatever was said. */
  readonly type: ImageType;
  readonly bytes: Uint8Array;
  /** What its headers say; `undefined` for an SVG, which has any size. */
  readonly size: ImageSize | undefined;
  /** `false` for an SVG that may run or load something: show it nowhere but in a sandbox. */
  readonly isSafe: boolean;
}

/**
 * Answers an icon by its bytes, or one clause on why it must not be shown: another type than was said or than is known,
 * too large a picture, too many frames, an SVG that is not safe. `declared` is what was said of it, in the order of
 * weight; the first that says anything counts.
 *
 * Spec: basic/index#icons (2026-07-28).
 */
export function checkIcon(
  bytes: Uint8Array,
  declared: readonly (string | null | undefined)[],
  { maxSide, maxFrames, svg }: IconLimits,
): CheckedIcon | { readonly problem: string } {
  const type = detectImageType(bytes);
  if (type === undefined) return { problem: 'it is no PNG, JPEG, WebP, GIF or SVG' };
  const said = declared.map(declaredImageType).find((each) => each !== undefined);
  if (said !== undefined && said !== type) return { problem: `it is of another type (${type}) than it is said to be` };
  if (type === 'image/svg+xml') return checkSvg(bytes, svg);
  const size = measureImage(type, bytes);
  if (size === undefined) return { problem: 'its size cannot be read' };
  const { width, height, frames } = size;
  if (width < 1 || height < 1 || width > maxSide || height > maxSide) {
    return { problem: `it measures ${width} by ${height} pixels; at most ${maxSide} are allowed` };
  }
  if (frames > maxFrames) return { problem: `it has ${frames} frames; at most ${maxFrames} are allowed` };
  return { type, bytes, size, isSafe: true };
}

function checkSvg(bytes: Uint8Array, svg: IconLimits['svg']): CheckedIcon | { readonly problem: string } {
  const problem = svg === 'refuse' ? 'it is an SVG' : whyUnsafeBytes(bytes);
  if (problem !== undefined && svg !== 'untrusted') return { problem };
  return { type: 'image/svg+xml', bytes, size: undefined, isSafe: problem === undefined };
}

function whyUnsafeBytes(bytes: Uint8Array): string | undefined {
  try {
    return whyUnsafeSvg(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    // A reader of XML would go by another encoding, and see another image than was looked at.
    return 'it is no UTF-8';
  }
}

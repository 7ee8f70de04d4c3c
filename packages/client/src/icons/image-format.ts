/** The types of images that are taken, the only ones. */
export const imageTypes = ['image/png', 'image/jpeg', 'image/webp', 'image/gif', 'image/svg+xml'] as const;
/** One of {@link imageTypes}. */
export type ImageType = (typeof imageTypes)[number];

/** How much of a text is looked at for the first element of an SVG. */
const MAX_PROLOG_BYTES = 4096;
const SVG = /^\ufeff?\s*(?:<\?xml[^>]*\?>\s*)?(?:<!--[\s\S]*?-->\s*)*<svg[\s>]/;

/**
 * Answers what an image is by its first bytes, or `undefined` for anything else.
 *
 * Spec: basic/index#icons (2026-07-28).
 */
export function detectImageType(bytes: Uint8Array): ImageType | undefined {
  const head = Array.from(bytes.subarray(0, 12), (byte) => String.fromCharCode(byte)).join('');
  if (head.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png';
  if (head.startsWith('\xff\xd8\xff')) return 'image/jpeg';
  if (head.startsWith('GIF87a') || head.startsWith('GIF89a')) return 'image/gif';
  if (head.startsWith('RIFF') && head.slice(8) === 'WEBP') return 'image/webp';
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.subarray(0, MAX_PROLOG_BYTES));
  return SVG.test(text) ? 'image/svg+xml' : undefined;
}

/**
 * Answers the type that somebody said an image has, in our spelling; `other` for one that no icon has, and `undefined`
 * where nothing is said, or nothing in particular.
 */
export function declaredImageType(mimeType: string | null | undefined): ImageType | 'other' | undefined {
  const type = (mimeType ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
  if (['', 'application/octet-stream', 'binary/octet-stream', 'image/*'].includes(type)) return undefined;
  if (type === 'image/jpg' || type === 'image/pjpeg') return 'image/jpeg';
  return imageTypes.find((known) => known === type) ?? 'other';
}

/** The types of images that are taken, the only ones. */
export const imageTypes = ['image/png', 'image/jpeg', 'image/webp', 'image/gif', 'image/svg+xml'] as const;
/** One of {@link imageTypes}. */
export type ImageType = (typeof imageTypes)[number];

/** How much of a text is looked at for the first element of an SVG. */
const MAX_PROLOG_BYTES = 4096;

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
  return /^<svg[\s>]/.test(text.slice(firstElementAt(text))) ? 'image/svg+xml' : undefined;
}

/** Answers where the first thing stands in a text that is neither space nor comment nor the declaration of XML. */
function firstElementAt(text: string): number {
  let at = afterSpaces(text, text.startsWith('\ufeff') ? 1 : 0);
  if (text.startsWith('<?xml', at)) at = afterSpaces(text, afterMark(text, at, '?>'));
  while (text.startsWith('<!--', at)) at = afterSpaces(text, afterMark(text, at + 4, '-->'));
  return at;
}

function afterMark(text: string, at: number, mark: string): number {
  const end = text.indexOf(mark, at);
  return end < 0 ? text.length : end + mark.length;
}

function afterSpaces(text: string, from: number): number {
  let at = from;
  while (at < text.length && ' \t\r\n'.includes(text.charAt(at))) at += 1;
  return at;
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

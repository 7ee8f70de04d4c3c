import type { ImageType } from './image-format.ts';

/** How much a picture holds: its sides in pixels, the largest of any frame, and how many frames there are. */
export interface ImageSize {
  readonly width: number;
  readonly height: number;
  readonly frames: number;
}

type Sides = Omit<ImageSize, 'frames'>;

/**
 * Answers how large an image says that it is, from its headers alone: no pixel is decoded. `undefined` for one whose
 * headers cannot be followed, or that is cut off in them. A vector image has no size.
 *
 * Sources: PNG and APNG (W3C), ITU-T T.81 for JPEG, GIF89a, the WebP container specification.
 */
export function measureImage(type: Exclude<ImageType, 'image/svg+xml'>, bytes: Uint8Array): ImageSize | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    return readers[type](view);
  } catch (error) {
    // What lies behind the end of the file is asked for where a header lies or is cut off.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

const readers = { 'image/png': readPng, 'image/jpeg': readJpeg, 'image/gif': readGif, 'image/webp': readWebp };

function readPng(view: DataView): ImageSize | undefined {
  if (tagAt(view, 12) !== 'IHDR') return undefined;
  let frames = 1;
  for (let at = 8; tagAt(view, at + 4) !== 'IDAT'; at += 12 + view.getUint32(at)) {
    if (tagAt(view, at + 4) === 'acTL') frames = view.getUint32(at + 8);
  }
  return { width: view.getUint32(16), height: view.getUint32(20), frames };
}

function readJpeg(view: DataView): ImageSize | undefined {
  for (let at = 2; view.getUint8(at) === 0xff;) {
    const marker = view.getUint8(at + 1);
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return { width: view.getUint16(at + 7), height: view.getUint16(at + 5), frames: 1 };
    // A byte of filling stands before a marker; the picture itself has no size before it.
    if (marker === 0xff) at += 1;
    else if (marker === 0xda || marker === 0xd9) return undefined;
    else at += 2 + view.getUint16(at + 2);
  }
  return undefined;
}

function readGif(view: DataView): ImageSize | undefined {
  let sides: Sides = { width: view.getUint16(6, true), height: view.getUint16(8, true) };
  let frames = 0;
  let at = 13 + colourTableBytes(view.getUint8(10));
  for (;;) {
    const block = view.getUint8(at);
    if (block === 0x3b) return frames === 0 ? undefined : { ...sides, frames };
    if (block === 0x21) at = afterSubBlocks(view, at + 2);
    else if (block === 0x2c) {
      frames += 1;
      sides = larger(sides, {
        width: view.getUint16(at + 1, true) + view.getUint16(at + 5, true),
        height: view.getUint16(at + 3, true) + view.getUint16(at + 7, true),
      });
      at = afterSubBlocks(view, at + 11 + colourTableBytes(view.getUint8(at + 9)));
    } else return undefined;
  }
}

function colourTableBytes(flags: number): number {
  return (flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 0x07) + 1);
}

function afterSubBlocks(view: DataView, from: number): number {
  let at = from;
  for (let length = view.getUint8(at); length !== 0; length = view.getUint8(at)) at += length + 1;
  return at + 1;
}

function readWebp(view: DataView): ImageSize | undefined {
  let sides: Sides | undefined;
  let frames = 0;
  for (let at = 12; at + 8 <= view.byteLength;) {
    const tag = tagAt(view, at);
    const found = webpSides(view, tag, at + 8);
    if (found !== undefined) sides = sides === undefined ? found : larger(sides, found);
    if (tag === 'ANMF') frames += 1;
    const length = view.getUint32(at + 4, true);
    // The chunks of a frame lie within it, behind 16 bytes of its own.
    at += 8 + (tag === 'ANMF' ? 16 : length + (length % 2));
  }
  return sides === undefined ? undefined : { ...sides, frames: Math.max(1, frames) };
}

function webpSides(view: DataView, tag: string, at: number): Sides | undefined {
  if (tag === 'VP8X') return { width: uint24(view, at + 4) + 1, height: uint24(view, at + 7) + 1 };
  if (tag === 'ANMF') return { width: uint24(view, at + 6) + 1, height: uint24(view, at + 9) + 1 };
  if (tag === 'VP8 ') {
    return { width: view.getUint16(at + 6, true) & 0x3fff, height: view.getUint16(at + 8, true) & 0x3fff };
  }
  if (tag !== 'VP8L') return undefined;
  const bits = view.getUint32(at + 1, true);
  return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
}

function uint24(view: DataView, at: number): number {
  return view.getUint16(at, true) | (view.getUint8(at + 2) << 16);
}

function tagAt(view: DataView, at: number): string {
  return String.fromCharCode(view.getUint8(at), view.getUint8(at + 1), view.getUint8(at + 2), view.getUint8(at + 3));
}

function larger(one: Sides, other: Sides): Sides {
  return { width: Math.max(one.width, other.width), height: Math.max(one.height, other.height) };
}

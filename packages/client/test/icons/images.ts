const ascii = (text: string): number[] => Array.from(text, (character) => character.charCodeAt(0));
const big = (value: number, bytes: number): number[] =>
  Array.from({ length: bytes }, (_, index) => Math.floor(value / 256 ** (bytes - 1 - index)) % 256);
const little = (value: number, bytes: number): number[] => big(value, bytes).reverse();

/** A PNG of this size, as far as its headers go; animated with more than one frame. */
export function png(width: number, height: number, frames = 1): Uint8Array {
  const chunk = (type: string, data: number[]): number[] => [
    ...big(data.length, 4),
    ...ascii(type),
    ...data,
    0,
    0,
    0,
    0,
  ];
  return Uint8Array.from([
    0x89,
    ...ascii('PNG\r\n\x1a\n'),
    ...chunk('IHDR', [...big(width, 4), ...big(height, 4), 8, 6, 0, 0, 0]),
    ...(frames === 1 ? [] : chunk('acTL', [...big(frames, 4), 0, 0, 0, 0])),
    ...chunk('IDAT', [1, 2, 3]),
  ]);
}

export function jpeg(width: number, height: number): Uint8Array {
  const jfif = [0xff, 0xe0, 0, 16, ...ascii('JFIF\0'), 1, 1, 0, 0, 1, 0, 1, 0, 0];
  // A thumbnail in a comment has a size of its own, which is not that of the picture.
  const comment = [0xff, 0xfe, 0, 11, 0xff, 0xc0, 0, 17, 8, 0, 1, 0, 1];
  return Uint8Array.from([
    0xff,
    0xd8,
    ...jfif,
    ...comment,
    0xff,
    0xff,
    0xc2,
    0,
    17,
    8,
    ...big(height, 2),
    ...big(width, 2),
    3,
  ]);
}

/** A GIF with a screen of this size, whose frames have these sizes. */
export function gif(width: number, height: number, frames: readonly (readonly [number, number])[]): Uint8Array {
  const frame = ([frameWidth, frameHeight]: readonly [number, number]): number[] => [
    0x21,
    0xf9,
    4,
    0,
    1,
    0,
    0,
    0,
    0x2c,
    0,
    0,
    0,
    0,
    ...little(frameWidth, 2),
    ...little(frameHeight, 2),
    0x80,
    0,
    0,
    0,
    255,
    255,
    255,
    2,
    2,
    0x2c,
    0x3b,
    0,
  ];
  return Uint8Array.from([
    ...ascii('GIF89a'),
    ...little(width, 2),
    ...little(height, 2),
    0x80,
    0,
    0,
    0,
    0,
    0,
    255,
    255,
    255,
    ...frames.flatMap(frame),
    0x3b,
  ]);
}

export function webp(...chunks: readonly (readonly [string, readonly number[]])[]): Uint8Array {
  const body: number[] = [];
  for (const [type, data] of chunks) {
    body.push(...ascii(type), ...little(data.length, 4), ...data);
    if (data.length % 2 !== 0) body.push(0);
  }
  return Uint8Array.from([...ascii('RIFF'), ...little(body.length + 4, 4), ...ascii('WEBP'), ...body]);
}

/** The data of the chunks of a WebP. */
export const webpData = {
  lossy: (width: number, height: number): number[] => [
    0,
    0,
    0,
    0x9d,
    1,
    0x2a,
    ...little(width, 2),
    ...little(height, 2),
  ],
  lossless: (width: number, height: number): number[] => [0x2f, ...little(width - 1 + (height - 1) * 2 ** 14, 4)],
  extended: (width: number, height: number): number[] => [
    2,
    0,
    0,
    0,
    ...little(width - 1, 3),
    ...little(height - 1, 3),
  ],
  frame: (width: number, height: number, picture: readonly number[]): number[] => [
    ...little(0, 6),
    ...little(width - 1, 3),
    ...little(height - 1, 3),
    ...little(100, 3),
    0,
    ...ascii('VP8L'),
    ...little(picture.length, 4),
    ...picture,
    ...(picture.length % 2 === 0 ? [] : [0]),
  ],
};

export const svg = (body = '<path d="M0 0h8"/>'): string => `<svg xmlns="http://www.w3.org/2000/svg">${body}</svg>`;

export const dataUrl = (type: string, bytes: Uint8Array | string): string =>
  `data:${type};base64,${Buffer.from(bytes).toString('base64')}`;

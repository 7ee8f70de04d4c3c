export const mebibyte = 1024 * 1024;

/** Answers a number of bytes in MiB, to one decimal. */
export function mebibytesOf(bytes: number): number {
  return Math.round((bytes / mebibyte) * 10) / 10;
}

/** Compares two keys as a store must list them: by their bytes in UTF-8. */
export function compareInUtf8(left: string, right: string): number {
  return Buffer.compare(Buffer.from(left), Buffer.from(right));
}

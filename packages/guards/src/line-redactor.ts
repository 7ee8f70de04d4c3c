import { findPrivateKeys, type OpenKey } from './private-keys.ts';
import { redactWith } from './redact.ts';

/**
 * Creates a function that masks the lines of one stream, in their order, as `redactSecrets` masks a whole text. It
 * remembers that a private key has begun and masks each further line of it, also behind what a log writes before each,
 * up to the key's end or to a line that looks like none of a key; at most 256 lines.
 */
export function createLineRedactor(): (line: string) => string {
  let open: OpenKey | undefined;
  return (line) =>
    redactWith((text) => {
      const found = findPrivateKeys(text, open);
      open = found.open;
      return found.keys;
    }, line);
}

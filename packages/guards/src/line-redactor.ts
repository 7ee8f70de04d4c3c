import { privateKeyBegin, privateKeyEnd } from './credential-patterns.ts';
import { MASK, redactSecrets } from './redact.ts';

/** The longest private key that is followed: one of RSA with 16,384 bits has 200 lines. */
const MAX_KEY_LINES = 256;
const BEGIN = new RegExp(privateKeyBegin);
const END = new RegExp(privateKeyEnd);

/**
 * Creates a function that masks the lines of one stream, in their order, as `redactSecrets` masks a whole text. It
 * remembers that a private key has begun and masks each further line up to the end of the key, at most 256 of them.
 */
export function createLineRedactor(): (line: string) => string {
  let keyLinesLeft = 0;
  return redactLine;

  function redactLine(line: string): string {
    if (keyLinesLeft === 0) {
      const begin = BEGIN.exec(line);
      if (begin === null) return redactSecrets(line);
      keyLinesLeft = MAX_KEY_LINES;
      return redactSecrets(line.slice(0, begin.index)) + redactLine(line.slice(begin.index + begin[0].length));
    }
    const end = END.exec(line);
    keyLinesLeft = end === null ? keyLinesLeft - 1 : 0;
    return end === null ? MASK : MASK + redactLine(line.slice(end.index + end[0].length));
  }
}

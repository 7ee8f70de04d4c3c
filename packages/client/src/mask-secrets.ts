const MASK = '[redacted]';
/** A shorter value would rather mask words than secrets. */
const MIN_SECRET_LENGTH = 8;
/** As much of a secret before an ellipsis gives it away. */
const MIN_START_LENGTH = 4;
/** No excerpt is longer. */
const MAX_START_LENGTH = 1000;

/**
 * Answers a function that masks secrets in a text that is going to be shown: where one stands as a whole, as it is or
 * within a text of JSON or percent-encoded, and where it was cut off by an ellipsis; of a secret of several lines, such as a
 * private key, each line by itself, too. Values under eight characters are not looked for.
 */
export function createMask(secrets: readonly string[]): (text: string) => string {
  // The longest first: one may be a part of another.
  const sought = [...new Set(secrets.flatMap(formsOf))]
    .filter(({ length }) => length >= MIN_SECRET_LENGTH)
    .sort((a, b) => b.length - a.length);
  if (sought.length === 0) return (text) => text;
  return (text) => sought.reduce(maskOne, text);
}

function formsOf(secret: string): string[] {
  const lines = secret.split(/[\r\n]+/).map((line) => line.trim());
  return [secret, ...lines].flatMap((text) => [text, inJson(text), encodeURIComponent(text.toWellFormed())]);
}

function inJson(secret: string): string {
  return JSON.stringify(secret).slice(1, -1);
}

function maskOne(text: string, secret: string): string {
  let masked = text.replaceAll(secret, () => MASK);
  for (let at = masked.indexOf('…'); at !== -1; at = masked.indexOf('…', at + 1)) {
    const start = startBefore(masked.slice(0, at), secret);
    if (start === 0) continue;
    masked = masked.slice(0, at - start) + MASK + masked.slice(at);
    at += MASK.length - start;
  }
  return masked;
}

/** Answers how many characters at the end of a text are the start of a secret. */
function startBefore(text: string, secret: string): number {
  const most = Math.min(secret.length - 1, text.length, MAX_START_LENGTH);
  for (let length = most; length >= MIN_START_LENGTH; length -= 1) {
    if (text.endsWith(secret.slice(0, length))) return length;
  }
  return 0;
}

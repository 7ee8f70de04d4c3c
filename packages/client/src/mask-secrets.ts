const MASK = '[redacted]';
/** A shorter value would rather mask words than secrets. */
const MIN_SECRET_LENGTH = 8;
/** As much of a secret before an ellipsis gives it away. */
const MIN_START_LENGTH = 4;
/** No excerpt is longer. */
const MAX_START_LENGTH = 1000;
/** The lines around a private key in PEM, which every one has. */
const PEM_BORDER = /^-----(?:BEGIN|END) [A-Z0-9 ]+-----$/;

/**
 * Answers a function that masks secrets in a text that is going to be shown: where one stands as a whole, as it is or
 * within a text of JSON or percent-encoded, and where it was cut off by an ellipsis; of a secret of several lines, such as a
 * private key, each line by itself, too. Values under eight characters are not looked for. It takes time in proportion to the text, whatever
 * that holds: a server writes it.
 */
export function createMask(secrets: readonly string[]): (text: string) => string {
  // The longest first: one may be a part of another.
  const sought = [...new Set(secrets.flatMap(formsOf))]
    .filter(({ length }) => length >= MIN_SECRET_LENGTH)
    .sort((a, b) => b.length - a.length);
  if (sought.length === 0) return (text) => text;
  const maskStarts = createMaskStarts(sought);
  const holdingEllipsis = sought.filter((secret) => secret.includes('…'));
  // Starts come before wholes, as a whole secret may be the start of a longer one.
  return (text) => sought.reduce(maskWhole, maskStarts(holdingEllipsis.reduce(maskWhole, text)));
}

function formsOf(secret: string): string[] {
  const lines = secret.split(/[\r\n]+/).map((line) => line.trim());
  return [secret, ...lines.filter((line) => !PEM_BORDER.test(line))].flatMap((text) => [
    text,
    inJson(text),
    encodeURIComponent(text.toWellFormed()),
  ]);
}

function inJson(secret: string): string {
  return JSON.stringify(secret).slice(1, -1);
}

function maskWhole(text: string, secret: string): string {
  return text.replaceAll(secret, () => MASK);
}

/** Answers a function that masks what stands before an ellipsis and is the start of a secret. */
function createMaskStarts(secrets: readonly string[]): (text: string) => string {
  const byStart = Map.groupBy(secrets, (secret) => secret.slice(0, MIN_START_LENGTH));

  /** Answers where at the end of a text the start of a secret begins. */
  function startIn(text: string): number | undefined {
    for (let at = Math.max(0, text.length - MAX_START_LENGTH); at + MIN_START_LENGTH <= text.length; at += 1) {
      const candidates = byStart.get(text.slice(at, at + MIN_START_LENGTH));
      if (candidates === undefined) continue;
      const end = text.slice(at);
      if (candidates.some((secret) => secret.startsWith(end))) return at;
    }
    return undefined;
  }

  return (text) => {
    const pieces = text.split('…');
    const last = pieces.length - 1;
    return pieces
      .map((piece, index) => {
        const at = index === last ? undefined : startIn(piece);
        return at === undefined ? piece : piece.slice(0, at) + MASK;
      })
      .join('…');
  };
}

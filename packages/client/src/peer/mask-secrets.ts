import { MASK } from '@switchyard/guards';
import { encodeBase64 } from '@switchyard/protocol';
import { plainText } from './plain-text.ts';

/** A shorter value would rather mask words than secrets. */
const MIN_CHARS = 8;
/** As much of a secret before an ellipsis gives it away. */
const MIN_START_LENGTH = 4;
/** No excerpt is longer. */
const MAX_START_LENGTH = 1000;
/** What an encoded character has, or a space of a form. */
const ENCODES = /[%\\+]/;
/** The lines around a private key in PEM, which every one has. */
const PEM_BORDER = /^-----(?:BEGIN|END) [A-Z0-9 ]+-----$/;

/** A part of a text; UTF-16 offsets. */
interface Span {
  readonly start: number;
  readonly end: number;
}
type Find = (text: string) => Span[];

/**
 * Answers a function that masks secrets in a text that is going to be shown: where one stands as a whole, as it is, as
 * URLs, forms and JSON of any serialiser write it, also one within the other, in hexadecimal digits, or as Base64 and
 * Base64url of it or of what holds it; and where it was cut off by an ellipsis; of a secret of several lines, such as a
 * private key, each line by itself, too. Secrets may be given in the forms of URLs, forms and JSON themselves. Values
 * under `minChars` characters, by default eight, are not looked for. It takes time in proportion to the text, whatever
 * that holds: a server writes it.
 */
export function createMask(
  secrets: readonly string[],
  options: { readonly minChars?: number } = {},
): (text: string) => string {
  const { minChars = MIN_CHARS } = options;
  const isLongEnough = ({ length }: string): boolean => length >= minChars;
  const sought = secrets.flatMap(partsOf).filter(isLongEnough);
  if (sought.length === 0) return (text) => text;
  const findWritten = createFind(sought.flatMap(formsOf));
  const findPlain = createFind(sought.map((secret) => plainText(secret).text).filter(isLongEnough));
  const isEncoded = sought.some((secret) => ENCODES.test(secret));
  return (text) => {
    const spans = findWritten(text);
    return maskSpans(text, isEncoded || ENCODES.test(text) ? [...spans, ...findEncoded(text, findPlain)] : spans);
  };
}

function partsOf(secret: string): string[] {
  const lines = secret.split(/[\r\n]+/).map((line) => line.trim());
  return [secret, ...lines.filter((line) => !PEM_BORDER.test(line))];
}

/** The usual ones, which are found whatever stands before them. */
function formsOf(secret: string): string[] {
  const percent = encodeURIComponent(secret.toWellFormed());
  const hex = [...new TextEncoder().encode(secret)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  const escaped = JSON.stringify(secret).slice(1, -1);
  return [secret, escaped, percent, hex, hex.toUpperCase(), toUrlSafe(secret), ...base64FormsOf(secret)];
}

/** What Base64 writes of it by itself, and behind as many bytes as there may be in a group of three. */
function base64FormsOf(secret: string): string[] {
  const bytes = new TextEncoder().encode(secret);
  const behind = [0, 1, 2].map((lead) => {
    const encoded = encodeBase64(Uint8Array.from([...new Uint8Array(lead), ...bytes]));
    // A character of both its own bits and those of a neighbour differs from text to text.
    return encoded.slice(Math.ceil((lead * 8) / 6), Math.floor(((lead + bytes.length) * 8) / 6));
  });
  const forms = [encodeBase64(bytes).replace(/=+$/, ''), ...behind];
  return [...forms, ...forms.map(toUrlSafe)];
}

/** A secret that is Base64 itself may be written as Base64url. */
function toUrlSafe(base64: string): string {
  return base64.replace(/=+$/, '').replaceAll('+', '-').replaceAll('/', '_');
}

function findEncoded(text: string, find: Find): Span[] {
  const plain = plainText(text);
  return find(plain.text).map(({ start, end }) => ({
    start: plain.starts[start] ?? 0,
    // With the beginning of a character that was cut off.
    end: (plain.text[end] === '…' ? plain.starts[end] : plain.ends[end - 1]) ?? 0,
  }));
}

function maskSpans(text: string, spans: readonly Span[]): string {
  const pieces: string[] = [];
  let shown = 0;
  for (const { start, end } of spans.toSorted((a, b) => a.start - b.start)) {
    if (start >= shown) pieces.push(text.slice(shown, start), MASK);
    shown = Math.max(shown, end);
  }
  return pieces.join('') + text.slice(shown);
}

function createFind(secrets: readonly string[]): Find {
  const sought = [...new Set(secrets)];
  const findStarts = createFindStarts(sought);
  return (text) => [...sought.flatMap((secret) => findWhole(text, secret)), ...findStarts(text)];
}

function findWhole(text: string, secret: string): Span[] {
  const spans: Span[] = [];
  for (let at = text.indexOf(secret); at !== -1; at = text.indexOf(secret, at + secret.length)) {
    spans.push({ start: at, end: at + secret.length });
  }
  return spans;
}

/** Answers a function that finds what stands before an ellipsis and is the start of a secret. */
function createFindStarts(secrets: readonly string[]): Find {
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
    const spans: Span[] = [];
    let from = 0;
    for (let end = text.indexOf('…'); end !== -1; end = text.indexOf('…', from)) {
      const at = startIn(text.slice(from, end));
      if (at !== undefined) spans.push({ start: from + at, end });
      from = end + 1;
    }
    return spans;
  };
}

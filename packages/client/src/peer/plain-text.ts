/** A text without encodings, and where each of its UTF-16 units stood: offsets in the text as it was written. */
export interface PlainText {
  readonly text: string;
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
}

/** UTF-8, percent-encoded, also more than once or cut off by an ellipsis; and the space of forms. */
const PERCENT = new RegExp(
  [
    '%[cd][0-9a-f]%[89ab][0-9a-f]',
    '%e[0-9a-f](?:%[89ab][0-9a-f]){2}',
    '%f[0-7](?:%[89ab][0-9a-f]){3}',
    '%[c-f][0-9a-f](?:%[89ab][0-9a-f]){0,2}(?:%[0-9a-f]?)?(?=…)',
    // After those, as it takes a percent sign that is encoded once more.
    '%[0-7][0-9a-f]',
    '%[0-9a-f]?(?=…)',
    '\\+',
  ]
    .join('|')
    .replaceAll('%', '%(?:25){0,8}'),
  'gi',
);
const ONCE_MORE = /%(?:25)+(?=[0-9a-f]{2})/gi;
const CUT = /%[0-9a-f]?$/i;
/** What backslashes begin in JSON, however many there are in JSON within JSON; also cut off by an ellipsis. */
const BACKSLASHES = /\\+(?:u[0-9a-f]{4}|[bfnrt]|u[0-9a-f]{0,3}(?=…))?/gi;
const CONTROLS: { readonly [letter: string]: string } = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };

/**
 * Undoes the encodings of URLs, forms and JSON, so that texts are the same afterwards which differ in how they were
 * written alone: every other backslash goes, a plus sign is a space, and a lone surrogate is U+FFFD. Takes linear time.
 */
export function plainText(written: string): PlainText {
  const { text, starts, ends } = replaceEach(written, PERCENT, decodePercent);
  const plain = replaceEach(text, BACKSLASHES, decodeBackslashes);
  return {
    text: plain.text.toWellFormed(),
    starts: plain.starts.map((at) => starts[at] ?? 0),
    ends: plain.ends.map((at) => ends[at - 1] ?? 0),
  };
}

function decodePercent(encoded: string): string {
  if (CUT.test(encoded)) return '';
  try {
    return spaced(decodeURIComponent(encoded.replace(ONCE_MORE, '%')));
  } catch {
    // The beginning of a character, or bytes that stand for none.
    return '';
  }
}

function decodeBackslashes(encoded: string): string {
  const [, digits, letter = ''] = /^\\+(?:u([0-9a-f]{4})|([bfnrt])$)?/i.exec(encoded) ?? [];
  return digits === undefined ? (CONTROLS[letter] ?? letter) : spaced(String.fromCharCode(Number.parseInt(digits, 16)));
}

function spaced(text: string): string {
  return text.replaceAll('+', ' ');
}

function replaceEach(text: string, expression: RegExp, decode: (encoded: string) => string): PlainText {
  const pieces: string[] = [];
  // What is decoded is never longer.
  const [starts, ends] = [new Uint32Array(text.length), new Uint32Array(text.length)];
  let length = 0;
  let taken = 0;
  for (const { index, 0: encoded } of text.matchAll(expression)) {
    keep(index);
    const decoded = decode(encoded);
    taken = index + encoded.length;
    pieces.push(decoded);
    starts.fill(index, length, length + decoded.length);
    ends.fill(taken, length, length + decoded.length);
    length += decoded.length;
  }
  keep(text.length);
  return { text: pieces.join(''), starts: starts.subarray(0, length), ends: ends.subarray(0, length) };

  function keep(end: number): void {
    pieces.push(text.slice(taken, end));
    for (let at = taken; at < end; at += 1, length += 1) {
      starts[length] = at;
      ends[length] = at + 1;
    }
  }
}

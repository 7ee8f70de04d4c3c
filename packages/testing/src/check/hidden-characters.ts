/** Bidirectional controls turn text round; the marks, which honest Arabic and Hebrew text has, are not among them. */
const TURNING = /[\u202a-\u202e\u2066-\u2069]/u;
/**
 * Letters of the tag block spell ASCII that nothing shows. The only honest use is a flag: a black flag, tags, the end
 * tag.
 */
const TAGS = /[\u{e0000}-\u{e007f}]/gu;
const FLAG = /\u{1f3f4}[\u{e0020}-\u{e007e}]{2,7}\u{e007f}/gu;
/** Selectors after selectors, and the supplementary ones without an ideograph before them, carry bytes. */
const SELECTORS = /[\ufe00-\ufe0f][\ufe00-\ufe0f\u{e0100}-\u{e01ef}]|(?<!\p{Ideographic})[\u{e0100}-\u{e01ef}]/u;
/** A zero-width character between or beside letters of scripts that do not join. */
const INSIDE_WORDS =
  /[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{N}\p{P}][\u200b-\u200d\u2060-\u2064\ufeff]|[\u200b-\u200d\u2060-\u2064\ufeff][\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{N}]/u;
/** What a terminal acts on. */
const CONTROLS = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]/;
const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\p{Bidi_Control}\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]/gu;

/**
 * Answers what is hidden in a text by its code points, or `undefined`: what turns the direction of writing, spells in
 * tags or selectors, breaks words invisibly, or acts on a terminal. Emoji sequences, flags, and joiners in scripts that
 * need them are no hiding.
 */
export function hiddenCharacters(text: string): string | undefined {
  const body = text.startsWith('\ufeff') ? text.slice(1) : text;
  const tags = body.replace(FLAG, '').match(TAGS);
  if (tags !== null) return `${tags.length} tag characters, which spell ${JSON.stringify(spell(tags))}`;
  for (const expression of [TURNING, SELECTORS, INSIDE_WORDS, CONTROLS]) {
    const found = expression.exec(body)?.[0];
    if (found !== undefined) return codePoints(found);
  }
  return undefined;
}

/** Answers a text as a model reads it: compatibility forms folded, without what is invisible, on one line. */
export function plainText(text: string): string {
  return text.normalize('NFKC').replace(INVISIBLE, '').replaceAll('’', "'").replace(/\s+/g, ' ');
}

function spell(tags: readonly string[]): string {
  return tags
    .slice(0, 60)
    .map((tag) => String.fromCharCode((tag.codePointAt(0) ?? 0) - 0xe0000))
    .join('')
    .replace(/[^\x20-\x7e]/g, '');
}

function codePoints(text: string): string {
  const points = Array.from(
    text,
    (character) => `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`,
  );
  return points.join(' ');
}

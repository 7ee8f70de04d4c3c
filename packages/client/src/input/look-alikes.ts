/** Letters of other scripts that look like a Latin one, and digits and signs that are written for one. */
const LATIN: ReadonlyMap<string, string> = new Map(
  Object.entries({
    a: 'аαɑ4@ａ',
    b: 'ЬвƄ',
    c: 'сϲᴄ',
    d: 'ԁɗ',
    e: 'еєεҽ3',
    g: 'ɡց',
    h: 'һհн',
    i: 'іιıɩ1!|',
    j: 'јϳ',
    k: 'кκ',
    m: 'мᴍ',
    n: 'пոη',
    o: 'оοօ0ᴏ',
    p: 'рρ',
    q: 'ԛ',
    r: 'гᴦ',
    s: 'ѕꜱ5$',
    t: 'тτ7',
    u: 'υսᴜ',
    v: 'νѵᴠ',
    w: 'ԝωшᴡ',
    x: 'хχ',
    y: 'уγүʏ',
    z: 'ᴢ',
  }).flatMap(([letter, others]) => [...others].map((other) => [other, letter] as const)),
);

/**
 * Answers a text, in lower case, as a person might read it who does not look closely: without marks over and under its
 * letters, and with Latin letters in place of what looks like them. It is for finding words, not for showing.
 */
export function withoutLookAlikes(text: string): string {
  const bare = text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  return Array.from(bare, (character) => LATIN.get(character) ?? character).join('');
}

/** Values that a store gives back unchanged, with what each is. */
export const keptValues = [
  ['an empty text', ''],
  ['JSON', '{"tools":[{"name":"a\\u0000b"}]}'],
  ['characters of every length in UTF-8', 'aé€𐍈 👩‍👩‍👧'],
  ['line ends, quotes and statements', 'a\r\n\t\'"\\;-- $1 ?1 :now %s'],
  ['a megabyte', 'x€'.repeat(500_000)],
] as const;

/** Keys and values that a store refuses as `corrupt`, with what is wrong about each. */
export const unstorableEntries = [
  ['an empty key', '', 'value'],
  ['U+0000 in a key', 'a\0b', 'value'],
  ['half of a surrogate pair in a key', 'a\ud83d', 'value'],
  ['half of a surrogate pair in a value', 'key', '\ude00 alone'],
  ['U+0000 in a value', 'key', 'a\0b'],
] as const;

/** Keys of which no two are the same. */
export const distinctKeys = [
  'key',
  'KEY',
  'key ',
  ' key',
  'k\u00e9y',
  'ke\u0301y',
  '__proto__',
  'constructor',
  '1',
  '01',
  '%',
] as const;

/** Lifetimes that never end. */
export const endlessTtlsMs = [Infinity, Number.MAX_VALUE, Number.MAX_SAFE_INTEGER] as const;

/** Lifetimes that are over at once. */
export const deadTtlsMs = [0, -1, -Infinity, NaN] as const;

/** How sure it is that what stands under a name is secret: all of it, or single words and numbers alone. */
export type Secrecy = 'all' | 'words';

const SECRETS = new Set(
  'password passwords passwd passphrase passcode passcodes pwd secret secrets credential credentials cookie cookies apikey apikeys'.split(
    ' ',
  ),
);
/** With another meaning in other places, where they hold sentences, counts and objects. */
const WORDS = new Set(
  'pass pin otp auth authorization bearer session sid jsessionid phpsessid token tokens jwt'.split(' '),
);
/** Words that make a key, or an id, a secret. */
const BEFORE_KEYS = new Set('api access private secret signing encryption auth account session'.split(' '));
/** Counts of tokens, and tokens that are no secret. */
const BEFORE_TOKENS = new Set(
  'progress page cursor max min next num unexpected input output total prompt completion'.split(' '),
);
/** Words that say nothing of their own at the end of a name. */
const FILLERS = new Set(['value', 'text', 'string', 'hash']);

/** Answers how secret the value under a name is, by the words in the name; `undefined` where they say nothing. */
export function secrecyOf(name: string): Secrecy | undefined {
  if (name.length > 100) return undefined;
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z]+/)
    .filter((word) => word !== '' && !FILLERS.has(word));
  const [before = '', last = ''] = [words.at(-2), words.at(-1)];
  if (SECRETS.has(last)) return 'all';
  if (/^(?:keys?|ids?)$/.test(last) && BEFORE_KEYS.has(before) && !(last.startsWith('id') && before !== 'session'))
    return 'all';
  return WORDS.has(last) && !(last.startsWith('token') && BEFORE_TOKENS.has(before)) ? 'words' : undefined;
}

const PHONE_NAME = /(?:^|[^a-z])(?:phone|mobile|telephone|tel|fax)(?:[^a-z]*(?:number|no))?$/;

/** Whether a name announces the number of a telephone. */
export function isPhoneName(name: string): boolean {
  return name.length <= 100 && PHONE_NAME.test(name.replace(/([a-z0-9])([A-Z])/g, '$1_$2').toLowerCase());
}

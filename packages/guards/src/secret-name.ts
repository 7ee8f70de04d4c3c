/** How sure it is that what stands under a name is secret: all of it, or single words and numbers alone. */
export type Secrecy = 'all' | 'words';

const PASSWORDS = ['password', 'passwd', 'passphrase', 'passcode', 'pwd'];
const SECRETS = ['secret', 'credential'];
/** Secrets of people, which are no credentials, and what has a form of its own in a text. */
const PERSONAL = ['cookie', 'mnemonic', 'cvv', 'cvc', 'ssn'];
/** With another meaning in other places, where they hold sentences, counts and objects. */
const WORDS = ['pass', 'pin', 'otp', 'auth', 'bearer', 'session', 'sid', 'jsessionid', 'phpsessid', 'jwt', 'pat', 'pw'];
/** Words that make a key, or an id, a secret. */
const BEFORE_KEYS = words(
  'api access private secret signing encryption auth account session ssh master state storage app role license ' +
    'subscription webhook hmac fernet',
);
/** Counts of tokens, and tokens that are no secret. */
const BEFORE_TOKENS = words('progress page cursor max min next num unexpected input output total prompt completion');
/** Words that say at the end of a name which secret it is, or in what form, and nothing of their own. */
const QUALIFIERS = words(
  'value text string hash code pem raw plain base v old new prev previous current default main primary secondary ' +
    'backup temp tmp local live prod production stage staging dev development test testing',
);

const PLURALS = new Set([...PASSWORDS, ...SECRETS, ...PERSONAL, 'apikey'].flatMap((word) => [word, `${word}s`]));
const AMBIGUOUS = new Set([...WORDS, 'authorization', 'token', 'tokens']);

/**
 * Answers how secret the value under a name is, by the words in the name, in whatever way they are joined; `undefined`
 * where they say nothing, or the name has over 100 characters.
 */
export function secrecyOf(name: string): Secrecy | undefined {
  if (name.length > 100) return undefined;
  const found = name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z]+/)
    .filter((word) => word !== '');
  const own = found.slice(0, found.findLastIndex((word) => !QUALIFIERS.includes(word)) + 1);
  const [before = '', last = ''] = [own.at(-2), own.at(-1)];
  if (PLURALS.has(last)) return 'all';
  if (/^keys?$/.test(last) && BEFORE_KEYS.includes(before)) return 'all';
  if (/^ids?$/.test(last) && before === 'session') return 'all';
  return AMBIGUOUS.has(last) && !(last.startsWith('token') && BEFORE_TOKENS.includes(before)) ? 'words' : undefined;
}

/** What names of passwords hold, for an expression that ignores case. `DB_PASS`, `DB_PW` and `--pass` do, a test's `pass` not. */
export const PASSWORD_NAME = `(?:${PASSWORDS.join('|')}|(?<=[a-z0-9]_|--[a-z0-9-]{0,40})(?<![a-z])(?:pass|pw)(?![a-z]))`;

const TOKEN_NAME = `(?<!(?:${BEFORE_TOKENS.join('|')})[_\\s-]?)token`;
const KEY_NAME = `(?:${BEFORE_KEYS.join('|')})[_-]?key|client[_-]?assertion|code[_-]?verifier`;
const QUALIFIER = `(?:[_-]?(?:key|id|[0-9]{1,3}|${QUALIFIERS.join('|')})){0,3}`;

/** Names of secrets, also at the end of a longer word such as PGPASSWORD, for an expression that ignores case. */
export const SECRET_NAME = `(?:${PASSWORD_NAME}|${SECRETS.join('|')}|${TOKEN_NAME}|${KEY_NAME})s?${QUALIFIER}`;

/** Words that name a secret where the value looks like one, for an expression that minds case. */
export const AMBIGUOUS_NAME = `(?:(?:${asWord('session')})[_-]?(?:id|Id|ID)|${WORDS.map(asWord).join('|')})`;

/** A word by itself, in one case, or within a name in camel case. */
function asWord(word: string): string {
  const capital = word.charAt(0).toUpperCase() + word.slice(1);
  return `(?<![A-Za-z])(?:${word}|${capital}|${word.toUpperCase()})|(?<=[a-z0-9])${capital}`;
}

function words(text: string): string[] {
  return text.split(' ');
}

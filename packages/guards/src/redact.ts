import { credentialPatterns } from './credential-patterns.ts';
import type { CredentialKind } from './credential-patterns.ts';
import { MASK } from './mask.ts';
import { findPrivateKeys, type Span } from './private-keys.ts';

const MAX_REDACTED_CHARS = 4 * 1024 * 1024;
const MAX_SEARCHED_CHARS = 64 * 1024;

/**
 * `text` with everything that looks like a credential replaced by `[redacted]`: private keys in PEM (also one whose
 * beginning or end was cut off), values of authorization headers with whatever scheme and of cookie headers, JWTs, user
 * and password of a URL, keys with a known prefix (`sk-`, `ghp_`, `xoxb-`, `AKIA` and their like), webhooks of Slack and Discord, and values whose name
 * says that they are secret (`password=`, `DB_PASS=`, `"api_key": `, `"tokens": [`, `--token `, `<password>`, also
 * `name: DB_PASSWORD` beside its `value: `, in a Dockerfile and in .netrc), in quotes and lists as a whole, also in JSON
 * within JSON. Numbers under a name of several (`tokens: 512`) are counts; a type or what is said of a value (`token:
 * string`, `token: expired`) is none. For error texts and
 * logs: it rather masks a harmless value than shows a secret one, and cannot know a secret that has neither form nor
 * name. It guesses where a value without quotes ends: what is known to be secret is to be masked before.
 *
 * Takes time in proportion to the text. Of a text over 4 Mi characters the rest is left out, with a note. Where
 * invisible characters may be strewn in, apply `cleanText` first.
 */
export function redactSecrets(text: string): string {
  return redactWith((looked) => findPrivateKeys(looked).keys, text);
}

/** `redactSecrets` where something else finds the private keys. */
export function redactWith(findKeys: (text: string) => readonly Span[], text: string): string {
  const looked = text.slice(0, MAX_REDACTED_CHARS);
  const result = redactAround(findKeys(looked), looked);
  const left = text.length - MAX_REDACTED_CHARS;
  return left > 0 ? `${result} [${left} characters left out]` : result;
}

/**
 * What `redactSecrets` masks in `text`, each as it stands there: for a text that may hold credentials, so that they are
 * known where they turn up without their name. Looks at the first 64 Ki characters.
 */
export function findSecrets(text: string): readonly string[] {
  const searched = text.slice(0, MAX_SEARCHED_CHARS);
  const found = new Set<string>();
  const { keys } = findPrivateKeys(searched);
  for (const { start, end } of keys) found.add(searched.slice(start, end));
  redactAround(keys, searched, (secret) => {
    // Part of it may have been found before.
    for (const part of secret.split(MASK)) if (part !== '') found.add(part);
  });
  return [...found];
}

function redactAround(
  keys: readonly Span[],
  text: string,
  onSecret: (secret: string) => void = () => undefined,
): string {
  let result = '';
  let shown = 0;
  for (const { start, end } of keys) {
    result += text.slice(shown, start) + MASK;
    shown = end;
  }
  result += text.slice(shown);
  for (const { expression, isSecret } of credentialPatterns) {
    result = result.replace(expression, (whole: string, before: string, secret: string) => {
      if (isSecret !== undefined && !isSecret(secret, before)) return whole;
      onSecret(secret);
      return before + MASK;
    });
  }
  return result;
}

/** Where a text holds a credential: `start` and `end` are UTF-16 offsets of the secret part. */
export interface FoundCredential {
  readonly kind: CredentialKind;
  readonly start: number;
  readonly end: number;
}

/**
 * The first literal credential in `text`, such as an argument, a whole command line or a URL of a configuration, or
 * undefined where there is none. Unlike `redactSecrets` it leaves out what only may be one: variables and placeholders
 * (`${TOKEN}`, `<your key>`), references (`op://…`, a path), words, UUIDs without a name. Looks at the first 64 Ki
 * characters and takes time in proportion to them.
 */
export function findLiteralCredential(text: string): FoundCredential | undefined {
  const searched = text.slice(0, MAX_SEARCHED_CHARS);
  const [key] = findPrivateKeys(searched).keys;
  let first: FoundCredential | undefined = key === undefined ? undefined : { kind: 'private-key', ...key };
  for (const { kind, expression, isSecret, isLiteral = isSecret } of credentialPatterns) {
    for (const { index, 1: before = '', 2: secret = '' } of searched.matchAll(expression)) {
      const start = index + before.length;
      if (first !== undefined && start >= first.start) break;
      if (isLiteral !== undefined && !isLiteral(secret, before)) continue;
      first = { kind, start, end: start + secret.length };
      break;
    }
  }
  return first;
}

/** One challenge of a `WWW-Authenticate` field. */
export interface Challenge {
  /** In lower case. */
  readonly scheme: string;
  /** By name in lower case; a list, since proxies repeat parameters although none may. */
  readonly parameters: ReadonlyMap<string, readonly string[]>;
}

/** What lies beyond is not read: a challenge is written by a server and read by hand. */
const MAX_LENGTH = 16 * 1024;
const TOKEN = /[!#$%&'*+\-.^_`|~0-9A-Za-z]+/y;
/** Many write scopes and URLs without quotes; what ends such a value is what could not be part of it in quotes, either. */
const UNQUOTED = /[^\s,"]+/y;
const TOKEN68 = /[A-Za-z0-9\-._~+/]+=*/y;
const SPACE = /[ \t]*/y;
const BETWEEN = /[ \t,]*/y;
const QUOTED = /"((?:[^"\\]|\\[^])*)"/y;

/**
 * Reads the challenges of a `WWW-Authenticate` field, several of one or several fields joined by commas. Names are read
 * without regard to case, values as quoted strings with escapes, or without quotes up to a comma, a space or a quote, and white space where the grammar allows it.
 * Where the field breaks the grammar, what stood before that counts. It takes time in proportion to the length.
 *
 * Spec: RFC 9110 sections 11.2 to 11.6.1.
 */
export function parseChallenges(field: string): readonly Challenge[] {
  const text = field.slice(0, MAX_LENGTH);
  const challenges: Challenge[] = [];
  let at = 0;

  function take(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (match === null) return undefined;
    at += match[0].length;
    return match;
  }

  /** Reads `= value` after a name; `undefined` where none follows. */
  function takeValue(): string | undefined {
    take(SPACE);
    if (text[at] !== '=') return undefined;
    at += 1;
    take(SPACE);
    const quoted = take(QUOTED)?.[1];
    return quoted?.replaceAll(/\\([^])/g, '$1') ?? take(UNQUOTED)?.[0];
  }

  for (;;) {
    take(BETWEEN);
    const scheme = take(TOKEN)?.[0];
    if (scheme === undefined) return challenges;
    const parameters = new Map<string, string[]>();
    challenges.push({ scheme: scheme.toLowerCase(), parameters });
    skipToken68();
    for (;;) {
      const start = at;
      take(BETWEEN);
      const name = take(TOKEN)?.[0].toLowerCase();
      if (name === undefined) break;
      const afterName = at;
      const value = takeValue();
      if (value === undefined) {
        // A name without a value begins the next challenge; a value that cannot be read ends what can be.
        if (text.slice(afterName).trimStart().startsWith('=')) return challenges;
        at = start;
        break;
      }
      parameters.set(name, [...(parameters.get(name) ?? []), value]);
    }
  }

  /** Credentials of one piece, such as those of Negotiate, stand right behind the scheme and end the challenge. */
  function skipToken68(): void {
    const start = at;
    if (take(SPACE)?.[0] === '' || take(TOKEN68) === undefined || !/^[ \t]*(?:,|$)/.test(text.slice(at))) at = start;
  }
}

/** Answers the values of a parameter in all challenges of the given schemes, in order, without empty ones. */
export function parameterOf(
  challenges: readonly Challenge[],
  name: string,
  schemes: readonly string[] = ['bearer', 'dpop'],
): readonly string[] {
  return challenges
    .filter(({ scheme }) => schemes.includes(scheme))
    .flatMap(({ parameters }) => parameters.get(name) ?? [])
    .filter((value) => value !== '');
}

import { decodeBasic, encodeBasic } from './basic-credentials.ts';

/**
 * Answers what is sent to a server to show who calls, in the forms in which a server that reads it may say it back:
 * values of headers, with and without their scheme; what a Basic header encodes and what the URL's user and password
 * become as one; each value of a cookie; values of the URL's query.
 */
export function secretsOf(url: string | URL, headers: Readonly<Record<string, string>>): readonly string[] {
  const fields = Object.entries(headers).filter(([, value]) => typeof value === 'string');
  return [...fields.flatMap(([name, value]) => secretsOfHeader(name, value)), ...secretsOfUrl(url)];
}

/** Answers the forms of one header: with and without its scheme, and what Basic and cookies hold. */
export function secretsOfHeader(name: string, value: string): readonly string[] {
  if (name.toLowerCase() === 'cookie') return [value, ...value.split(';').flatMap(secretsOfPair)];
  const [scheme = '', bare] = [/^[\w-]+(?=\s)/.exec(value)?.[0], value.replace(/^[\w-]+\s+/, '')];
  const basic = scheme.toLowerCase() === 'basic' ? decodeBasic(bare) : undefined;
  return [value, bare, ...(basic === undefined ? [] : [`${basic.user}:${basic.password}`, loginOf(basic)])];
}

/** A URL or a Basic header without a password may carry a token as its user. */
function loginOf({ user, password }: { readonly user: string; readonly password: string }): string {
  return password === '' ? user : password;
}

function secretsOfUrl(url: string | URL): readonly string[] {
  // What is no URL is refused when the transport is opened.
  const { username = '', password = '', search = '' } = URL.parse(url) ?? {};
  return [...secretsOfLogin({ username, password }), ...search.slice(1).split('&').flatMap(secretsOfPair)];
}

/** Answers the forms of the user and the password of a URL, as they stand in it; none where there are none. */
export function secretsOfLogin({ username, password }: Pick<URL, 'username' | 'password'>): readonly string[] {
  const [user, secret] = [decoded(username), decoded(password)];
  const login = loginOf({ user: username, password });
  return login === '' ? [] : [login, decoded(login), encodeBasic(user, secret)];
}

/** A server says a value back as it was sent or decoded, and that of a cookie without the quotes around it. */
export function secretsOfPair(pair: string): readonly string[] {
  const value = pair.slice(pair.indexOf('=') + 1).trim();
  const bare = value.replace(/^"(.*)"$/, '$1');
  return [value, bare, decoded(bare), decoded(bare.replaceAll('+', ' '))];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // Percent signs that encode nothing are sent as they are.
    return text;
  }
}

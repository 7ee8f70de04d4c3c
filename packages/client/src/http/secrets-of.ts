/** Answers what is sent to a server to show who calls: values of headers, with and without their scheme, and of its URL. */
export function secretsOf(url: string | URL, headers: Readonly<Record<string, string>>): readonly string[] {
  const secrets = Object.values(headers).filter((value) => typeof value === 'string');
  const withoutScheme = secrets.map((value) => value.replace(/^[\w-]+\s+/, ''));
  return [...secrets, ...withoutScheme, ...secretsOfUrl(url)];
}

/**
 * A server says values of the query back as they stand in the URL or decoded; a URL without a password may carry a token
 * as its user.
 */
function secretsOfUrl(url: string | URL): readonly string[] {
  // What is no URL is refused when the transport is opened.
  const { username = '', password = '', search = '', searchParams = [] } = URL.parse(url) ?? {};
  const login = password === '' ? username : password;
  const encoded = search
    .slice(1)
    .split('&')
    .map((pair) => pair.slice(pair.indexOf('=') + 1));
  return [login, decoded(login), ...encoded, ...searchParams.values()];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // Percent signs that encode nothing are sent as they are.
    return text;
  }
}

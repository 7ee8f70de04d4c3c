/** What the URL of a kind of server must look like. */
export interface ServerUrlForm {
  /** The server's name in messages. */
  readonly server: string;
  /** With the colon, such as `redis:`. */
  readonly protocols: readonly string[];
  /** What follows host and port. Default: anything. */
  readonly path?: RegExp;
  readonly example: string;
}

/**
 * The part of a server's URL that messages may show: protocol, host, port and database, never the user, the password or
 * the query.
 *
 * @throws TypeError for a text that is no such URL, without the text.
 */
export function serverAddress(url: string, form: ServerUrlForm): string {
  // The parser's own error would carry the whole text, password included.
  const parsed = URL.parse(url);
  if (parsed === null || !hasForm(parsed, form))
    throw new TypeError(`the url of the ${form.server} server is not one: write it as ${form.example}`);
  return `${parsed.protocol}//${parsed.host}${parsed.pathname}`;
}

function hasForm({ href, protocol, username, password, pathname }: URL, { protocols, path }: ServerUrlForm): boolean {
  if (!protocols.includes(protocol) || !href.startsWith(`${protocol}//`) || path?.test(pathname) === false)
    return false;
  try {
    // The drivers do the same when they connect, and what they throw then would look like a server that does not
    // answer.
    for (const part of [username, password, pathname]) decodeURIComponent(part);
    return true;
  } catch {
    return false;
  }
}

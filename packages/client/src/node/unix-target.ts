/** A server behind a unix socket or a named pipe. */
export interface UnixTarget {
  readonly socketPath: string;
  /** The URL that is asked for there. */
  readonly url: string;
  /** For messages and as a key: the URL that was given, without a query. */
  readonly shown: string;
}

const FORM = /^(unix|pipe):\/\/(\/[^#?]+)(?:#(\/[^?#]*)(\?[^#]*)?)?$/i;

/**
 * Reads a URL of the form `unix:///run/server.sock#/mcp`, or `pipe:///pipe/server#/mcp` on Windows: the path of the
 * socket, and after `#` the path that is asked for, `/` without one, with its query. Answers `undefined` for any other text.
 */
export function readUnixTarget(url: string | URL): UnixTarget | undefined {
  const [, scheme = '', encoded = '', asked = '/', query = ''] = FORM.exec(String(url)) ?? [];
  if (scheme === '') return undefined;
  try {
    const path = decodeURIComponent(encoded);
    const socketPath = scheme.toLowerCase() === 'pipe' ? `\\\\.${path.replaceAll('/', '\\')}` : path;
    return {
      socketPath,
      url: `http://localhost${asked}${query}`,
      shown: `${scheme.toLowerCase()}://${encoded}#${asked}`,
    };
  } catch {
    // Percent signs that encode nothing.
    return undefined;
  }
}

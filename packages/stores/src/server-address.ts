import { StoreError } from './store-error.ts';

/** What the URL of a kind of server must look like. */
export interface ServerUrlForm {
  /** The server's name in messages. */
  readonly server: string;
  /** With the colon, such as `redis:`. */
  readonly protocols: readonly string[];
  readonly example: string;
}

/**
 * The part of a server's URL that messages may show: protocol, host, port and database, never the user, the password or
 * the query.
 *
 * Throws StoreError `unavailable` for a text that is no such URL, without the text.
 */
export function serverAddress(url: string, { server, protocols, example }: ServerUrlForm): string {
  // The parser's own error would carry the whole text, password included.
  const parsed = URL.parse(url);
  if (parsed === null || !protocols.includes(parsed.protocol)) {
    throw new StoreError('unavailable', `the url of the ${server} server is not one: write it as ${example}`);
  }
  return `${parsed.protocol}//${parsed.host}${parsed.pathname}`;
}

/** What an error of a driver says, in one line, whatever was thrown. */
export function reasonOf(error: unknown): string {
  // Node tries each address of a host name and gathers the errors in one that says nothing itself.
  if (error instanceof AggregateError && error.errors.length > 0) return error.errors.map(reasonOf).join('; ');
  return error instanceof Error ? error.message : String(error);
}

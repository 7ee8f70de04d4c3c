const NAMES = ['127.0.0.1', 'localhost'];
/** The port of `http:` that a browser leaves out. */
const DEFAULT_PORT = 80;

/**
 * Answers whether the header `host` of a request names this machine and the port that is listened on: a page of another
 * name that leads to this address is somebody else's.
 *
 * Spec: RFC 9110 section 7.2; RFC 3986 section 6.2.3.
 */
export function isOwnHost(host: string | undefined, port: number): boolean {
  const ends = port === DEFAULT_PORT ? ['', `:${port}`] : [`:${port}`];
  return NAMES.some((name) => ends.some((end) => host === name + end));
}

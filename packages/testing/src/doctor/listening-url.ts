/** What a program says that serves over HTTP and not over its standard streams. */
const LISTENS = /https?:\/\/(?:localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1?\]):\d+[\w./-]{0,100}/;

/** Answers the URL at which a program says that it listens; `undefined` where it says of none. */
export function listeningUrl(lines: readonly string[]): string | undefined {
  return LISTENS.exec(lines.join('\n'))?.[0];
}

/** What to do with a program that listens at `url` in place of speaking over its standard streams. */
export function listeningFix(url: string): string {
  return (
    'It seems to serve over HTTP: start it by itself, and give its URL in place of the command: switchyard ' +
    `doctor ${url}`
  );
}

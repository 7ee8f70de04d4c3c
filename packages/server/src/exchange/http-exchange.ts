/** The head of an HTTP request, however the platform represents it. */
export interface HttpHead {
  /** As it was sent: methods of HTTP are in upper case. */
  readonly method: string;
  /** Path and query as they were sent, or the whole URL where the caller sent that. */
  readonly target: string;
  /** The value of a header by its lower-case name; several values are joined by `, `. */
  header(key: string): string | undefined;
}

/**
 * One HTTP exchange, however the platform carries it: read the body once, then either reply once or open one stream.
 */
export interface HttpExchange {
  readonly head: HttpHead;
  /** Answers the body as text, `too-large` once it passes `maxBytes`, or `not-utf8`. A byte order mark is dropped. */
  readBody(maxBytes: number): Promise<{ readonly text: string } | 'too-large' | 'too-slow' | 'not-utf8' | 'broken-off'>;
  /** Has a body that is still being read answered as `too-slow`. What else comes of it is dropped. */
  stopReading(): void;
  /** Sends the whole response. What is left of the body is dropped. */
  reply(status: number, headers: HttpHeaders, body: string): void;
  /** Starts a streamed response with status 200. */
  openStream(headers: HttpHeaders): HttpStream;
  /** Calls back once if the caller goes away before the response is complete. */
  onAbandoned(callback: () => void): void;
}

/** Headers of a response by their names; several values of one are joined by `, `. */
export type HttpHeaders = { readonly [name: string]: string };

/** The body of a streamed response. Writes after the caller went away are dropped. */
export interface HttpStream {
  write(text: string): void;
  /** How many bytes that were written wait in memory for the caller to read. */
  unreadBytes(): number;
  end(): void;
}

/** The part of the Fetch API that the HTTP transport uses, so that any implementation of it fits. */
export type Fetch = (url: string, init: FetchInit) => Promise<FetchResponse>;

/** What goes with one request: its method, its fields, and its body where it has one. Redirects are not followed. */
export interface FetchInit {
  readonly method: string;
  readonly headers: { [name: string]: string };
  readonly body?: string;
  readonly signal: AbortSignal;
  readonly redirect: 'manual';
}

/** The head of an answer, and the body that still comes. */
export interface FetchResponse {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  /** `null` where there is none, or none that can be read. */
  readonly body: FetchBody | null;
}

/** A body that is read once, or cancelled. */
export interface FetchBody {
  getReader(): FetchBodyReader;
  cancel(): Promise<void>;
}

/** Reads a body part by part. `done` comes without a part; cancelling ends the exchange. */
export interface FetchBodyReader {
  read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }>;
  cancel(): Promise<void>;
}

/** A fetch function and the sockets behind it. */
export interface FetchPool {
  readonly fetch: Fetch;
  /**
   * Whether {@link fetch} rejects with a {@link import('./never-sent.ts').NeverSentError} for each request that was given
   * to no socket, so that any other failure may have come after it. Default: that is guessed by codes of errors.
   */
  readonly saysWhatWasSent?: true;
  /** Names whom a server takes its sockets for, such as by a client certificate. */
  readonly principal?: string;
  /** What else is sent on the way that a server could say back, such as the login of a proxy: masked as credentials are. */
  readonly secrets?: readonly string[];
  /** Gives back the sockets; what is under way ends. */
  close(): Promise<void>;
}

/** Answers the pool of a fetch function whose sockets are not ours to close. */
export function poolOf(fetch: Fetch): FetchPool {
  return { fetch, close: () => Promise.resolve() };
}

/** Opens the pool of the platform's own fetch. */
export function openPlatformFetch(): FetchPool {
  return poolOf((url, init) => globalThis.fetch(url, init));
}

/** The part of the Fetch API that the HTTP transport uses, so that any implementation of it fits. */
export type Fetch = (url: string, init: FetchInit) => Promise<FetchResponse>;

export interface FetchInit {
  readonly method: string;
  readonly headers: { [name: string]: string };
  readonly body?: string;
  readonly signal: AbortSignal;
  readonly redirect: 'manual';
}

export interface FetchResponse {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  /** `null` where there is none, or none that can be read. */
  readonly body: FetchBody | null;
}

export interface FetchBody {
  getReader(): FetchBodyReader;
  cancel(): Promise<void>;
}

export interface FetchBodyReader {
  read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }>;
  cancel(): Promise<void>;
}

/** A fetch function and the sockets behind it. */
export interface FetchPool {
  readonly fetch: Fetch;
  /** Names whom a server takes its sockets for, such as by a client certificate. */
  readonly principal?: string;
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

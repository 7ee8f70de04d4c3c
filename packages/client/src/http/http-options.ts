import type { HttpCredentials } from './credentials.ts';
import type { FetchPool } from './fetch.ts';
import type { HeaderSource } from './header-credentials.ts';

/** How an HTTP server is reached. */
export interface HttpTransportOptions {
  readonly url: string | URL;
  /**
   * Headers of every request, such as credentials, or a function that answers them: it is called before the first
   * request and again after an HTTP 401, and the refused request is repeated when the headers are others then. Those
   * that the protocol defines are set by the client and win. A value has 16 KiB at most; what HTTP itself runs by, such
   * as `Content-Length`, is refused.
   */
  readonly headers?: HeaderSource | undefined;
  /** Who calls, where that is more than headers; its fields win over `headers`. */
  readonly credentials?: HttpCredentials | undefined;
  /** Opens what requests go through; the platform's `fetch` by default. */
  readonly openPool?: (() => FetchPool) | undefined;
  /**
   * Whether a server that takes no POST is tried with the HTTP+SSE transport of revision 2024-11-05, too. Default:
   * true.
   */
  readonly fallsBackToSse?: boolean | undefined;
}

/** How a user agrees in a browser, and how the answer comes back. */
export interface Redirect {
  /** Where the authorization server sends the browser back to: HTTPS, or a loopback host. */
  readonly uri: string;
  /**
   * Opens `url` for the user, waits until the browser came back, and answers where it came back to, as a URL or as its
   * parameters. `state` is what an answer to this request carries; it is not always in `url`. Whatever comes back with
   * another one is somebody else's, and not waited for. Rejects with what it likes, or the reason of the signal.
   * It is called by one at a time.
   */
  authorize(
    url: URL,
    options: { readonly signal: AbortSignal; readonly state: string },
  ): Promise<URL | URLSearchParams | string | Readonly<Record<string, string>>>;
}

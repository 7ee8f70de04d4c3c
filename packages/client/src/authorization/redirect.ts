/** How a user agrees in a browser, and how the answer comes back. */
export interface Redirect {
  /** Where the authorization server sends the browser back to: HTTPS, or a loopback host. */
  readonly uri: string;
  /**
   * Opens `url` for the user, waits until the browser came back, and answers where it came back to, as a URL or as its
   * parameters. Rejects with what it likes, or the reason of the signal. It is called by one at a time.
   */
  authorize(
    url: URL,
    options: { readonly signal: AbortSignal },
  ): Promise<URL | URLSearchParams | string | Readonly<Record<string, string>>>;
}

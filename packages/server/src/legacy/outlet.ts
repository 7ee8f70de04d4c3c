/** The way from a server to an old client. Texts are single messages. */
export interface Outlet {
  /** Sends a notification, which may be left out, and answers whether it went out. */
  notify(text: string): boolean;
  /** Sends a request, and answers `false` where no stream leads to the client, or it does not read what was sent. */
  ask(text: string): boolean;
}

/**
 * The error of a request whose way to the server is configured so that it cannot be used, such as a proxy that is no URL.
 * Nothing was sent. Its message holds no credential.
 */
export class RouteError extends Error {
  override readonly name = 'RouteError';
}

/**
 * The error of a request that a pool gave to no socket, so that it certainly was not sent. Its cause says why. A pool
 * that rejects with it tells {@link import('./fetch.ts').FetchPool.saysWhatWasSent}.
 */
export class NeverSentError extends Error {
  override readonly name = 'NeverSentError';

  constructor(cause: unknown) {
    super('the request was given to no socket', { cause });
  }
}

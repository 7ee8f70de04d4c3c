import type { FetchBody, FetchBodyReader } from './fetch.ts';

/**
 * Gives up a body that nobody wants, without waiting: how that ends changes nothing, and at worst costs a socket that
 * could have been used again.
 */
export function dropBody(body: Pick<FetchBody | FetchBodyReader, 'cancel'> | null): void {
  body?.cancel().catch(() => {
    // See above.
  });
}

import { excerpt } from '../peer/excerpt.ts';
import type { PeerContext } from '../peer/peer-context.ts';
import type { HttpCredentials } from './credentials.ts';
import { readEndpoint } from './endpoint.ts';
import type { ExchangeSetup } from './exchange.ts';
import { type FetchPool, openPlatformFetch } from './fetch.ts';
import { createAskedCredentials, createFixedCredentials } from './header-credentials.ts';
import type { HttpTransportOptions } from './http-options.ts';
import { joinCredentials } from './join-credentials.ts';

/**
 * Opens the pool of a connection and joins who calls: user and password of the URL, configured headers, credentials.
 * Rejects with a `ClientError` with code `invalid-argument` for a URL or a header that cannot be used; then nothing is
 * open.
 */
export function openExchanges(context: PeerContext, options: HttpTransportOptions): Promise<ExchangeSetup> {
  const { url, headers = {}, credentials, openPool = openPlatformFetch } = options;
  return Promise.resolve().then(() => {
    const isAsked = typeof headers === 'function';
    const endpoint = readEndpoint(context, url, isAsked ? {} : headers);
    const pool = openPoolOf(context, openPool);
    const { principal, secrets = [] } = pool;
    for (const secret of secrets) context.learnSecret(secret);
    const stopLearning = credentials?.onSecret?.((secret) => context.learnSecret(secret));
    const all: HttpCredentials[] = [
      createFixedCredentials(endpoint.headers),
      ...(principal === undefined ? [] : [{ fieldsFor: () => ({}), principal: () => principal }]),
      ...(isAsked ? [createAskedCredentials(context, headers)] : []),
      ...(credentials === undefined ? [] : [credentials]),
    ];
    return {
      context,
      pool: stopLearning === undefined ? pool : { ...pool, close: () => (stopLearning(), pool.close()) },
      credentials: joinCredentials(all),
      url: endpoint.url,
      shown: endpoint.shown,
    };
  });
}

function openPoolOf(context: PeerContext, openPool: () => FetchPool): FetchPool {
  try {
    return openPool();
  } catch (error) {
    const said = excerpt(error instanceof Error ? error.message : String(error));
    throw context.fail('invalid-argument', `its sockets cannot be made: ${said}`, { cause: error });
  }
}

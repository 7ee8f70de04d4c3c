import {
  allowInsecureRequests,
  type Client,
  type ClientAuth,
  ClientSecretBasic,
  ClientSecretPost,
  customFetch,
  PrivateKeyJwt,
} from 'oauth4webapi';

import { isSecureUrl } from './secure-url.ts';
import type { BoundedFetch } from './bounded-fetch.ts';

/** How this server proves to an authorization server who it is. */
export type ClientCredentials =
  | {
      readonly clientId: string;
      readonly clientSecret: string;
      /** Default `client_secret_basic`. */
      readonly method?: 'client_secret_basic' | 'client_secret_post';
    }
  | {
      readonly clientId: string;
      /** Signs assertions of RFC 7523. */
      readonly privateKey: CryptoKey;
      readonly keyId?: string;
    };

/** A client as the OAuth library takes it. */
export interface OauthClient {
  readonly client: Client;
  readonly authentication: ClientAuth;
  /** Options of a request to a URL: bounded, and plain HTTP on this machine only. */
  requestTo(url: string): { [customFetch]: BoundedFetch; [allowInsecureRequests]: boolean };
}

/** Answers the client that requests to authorization servers are made as. */
export function createOauthClient(credentials: ClientCredentials, fetch: BoundedFetch): OauthClient {
  return {
    client: { client_id: credentials.clientId },
    authentication: toAuthentication(credentials),
    requestTo: (url) => ({
      [customFetch]: fetch,
      [allowInsecureRequests]: isSecureUrl(new URL(url)),
    }),
  };
}

function toAuthentication(credentials: ClientCredentials): ClientAuth {
  if ('privateKey' in credentials) {
    const { privateKey: key, keyId } = credentials;
    return PrivateKeyJwt(keyId === undefined ? key : { key, kid: keyId });
  }
  const { clientSecret, method = 'client_secret_basic' } = credentials;
  return method === 'client_secret_post' ? ClientSecretPost(clientSecret) : ClientSecretBasic(clientSecret);
}

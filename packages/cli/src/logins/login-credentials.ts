import {
  createOAuthCredentials,
  type OAuthCredentials,
  type OAuthCredentialsOptions,
  type Redirect,
} from '@switchyard/client/authorization';
import { present } from '@switchyard/protocol';
import type { Surroundings } from '../surroundings.ts';
import { loginHint } from './login-hint.ts';
import { findLogins, type Login, type Logins, loginUrl } from './logins.ts';

/** The path of the redirect URI, which the metadata of a client have to list: `http://127.0.0.1/callback`. */
export const REDIRECT_PATH = '/callback';

/** Creates the credentials of a login. */
export function createLoginCredentials(
  { url, scope, clientId, clientSecret, clientMetadataUrl, dpop }: Omit<Login, 'authorizationServer' | 'loggedInAt'>,
  { store }: Logins,
  options: Pick<OAuthCredentialsOptions, 'redirect' | 'authorizationTimeoutMs'>,
): OAuthCredentials {
  return createOAuthCredentials({
    serverUrl: url,
    store,
    ...options,
    ...present({ scope, clientMetadataUrl }),
    ...(clientId === undefined ? {} : { client: { clientId, ...present({ secret: clientSecret }) } }),
    ...(dpop === true ? { dpop } : {}),
  });
}

/**
 * Answers the credentials of the stored login to a URL, for a command that opens no browser; `undefined` where the user
 * has not logged in there. Rejects where the logins cannot be read.
 */
export async function findLoginCredentials(
  url: string,
  surroundings: Pick<Surroundings, 'env' | 'invocation'>,
): Promise<OAuthCredentials | undefined> {
  const logins = await findLogins(surroundings);
  const login = await logins?.find(loginUrl(url));
  if (logins === undefined || login === undefined) return undefined;
  const redirect: Redirect = {
    uri: `http://127.0.0.1${REDIRECT_PATH}`,
    authorize: () => Promise.reject(new Error(`this command opens no browser; ${loginHint(url, surroundings)}`)),
  };
  return createLoginCredentials(login, logins, { redirect });
}

import { exitCodes, Failure } from '../failure.ts';
import { didYouMean } from '../arguments/did-you-mean.ts';
import { createLoginCredentials, REDIRECT_PATH } from '../logins/login-credentials.ts';
import { findLogins } from '../logins/logins.ts';
import type { Surroundings } from '../surroundings.ts';
import type { Terminal } from '../terminal.ts';
import { readUrl } from './login.ts';

/** `switchyard logout URL`: forgets a login with its tokens. */
export async function logout(text: string, surroundings: Surroundings, terminal: Terminal): Promise<number> {
  const url = readUrl(text);
  const logins = await findLogins(surroundings);
  const all = (await logins?.list()) ?? [];
  const found = all.find((login) => login.url === url);
  if (logins === undefined || found === undefined) {
    const near = didYouMean(
      url,
      all.map((login) => login.url),
    );
    throw new Failure(
      'unknown',
      `There is no login to ${url}.${near === '' ? ` See: ${surroundings.invocation} logins` : near}`,
    );
  }
  const redirect = {
    uri: `http://127.0.0.1${REDIRECT_PATH}`,
    authorize: () => Promise.reject(new Error('nobody logs in')),
  };
  await createLoginCredentials(found, logins, { redirect }).logout();
  await logins.remove(url, surroundings.signal);
  terminal.result(
    { url, loggedOut: true },
    () => `Logged out of ${url}: its tokens are deleted here. The server may take them until they end.`,
  );
  return exitCodes.success;
}

import { exitCodes, Failure } from '../failure.ts';
import { didYouMean } from '../arguments/did-you-mean.ts';
import { createLoginCredentials, REDIRECT_PATH } from '../logins/login-credentials.ts';
import { findLogins, type Login, type Logins } from '../logins/logins.ts';
import type { Surroundings } from '../surroundings.ts';
import type { Terminal } from '../terminal.ts';
import { readUrl } from './login.ts';

/**
 * `switchyard logout URL`: forgets a login with its tokens, and as what the client is registered for it. What is
 * damaged is deleted unread; where that is the list of logins, with all others.
 */
export async function logout(text: string, surroundings: Surroundings, terminal: Terminal): Promise<number> {
  const url = readUrl(text);
  const logins = await findLogins(surroundings);
  const all = logins === undefined ? [] : await readList(logins);
  const found = all === undefined ? { url } : all.find((login) => login.url === url);
  if (logins === undefined || found === undefined) {
    const near = didYouMean(
      url,
      (all ?? []).map((login) => login.url),
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
  await createLoginCredentials(found, logins, { redirect }).logout({ forgetClient: true });
  if (all === undefined) await logins.clear();
  else await logins.remove(url, surroundings.signal);
  const others =
    all === undefined
      ? ' What is stored of logins was damaged, so all of it is deleted: log in again to the others.'
      : '';
  terminal.result(
    { url, loggedOut: true },
    () => `Logged out of ${url}: its tokens are deleted here. The server may take them until they end.${others}`,
  );
  return exitCodes.success;
}

/** Answers the logins; `undefined` where their list, or what says how it is encrypted, is damaged. */
async function readList({ list }: Logins): Promise<readonly Login[] | undefined> {
  try {
    return await list();
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'corrupt') return undefined;
    throw error;
  }
}

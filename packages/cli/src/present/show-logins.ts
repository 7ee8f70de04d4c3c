import type { Login } from '../logins/logins.ts';
import type { Surroundings } from '../surroundings.ts';
import { cleanLine } from '../terminal.ts';
import { alignColumns } from './columns.ts';

const MAX_CELL_CHARS = 100;

/** Answers a login without its secret. */
export function shownLogin({ clientSecret: _clientSecret, ...login }: Login): Omit<Login, 'clientSecret'> {
  return login;
}

/** Answers the logins as a table. */
export function showLogins(
  logins: readonly Omit<Login, 'clientSecret'>[],
  { invocation }: Pick<Surroundings, 'invocation'>,
): string {
  if (logins.length === 0) return `No logins. Log in with: ${invocation} login URL`;
  const rows = logins.map(({ url, authorizationServer, loggedInAt, scope = '-' }) =>
    [url, authorizationServer, loggedInAt, scope].map((cell) => cleanLine(cell, MAX_CELL_CHARS)),
  );
  return alignColumns([['URL', 'LOGGED IN AT', 'SINCE', 'SCOPE'], ...rows]).join('\n');
}

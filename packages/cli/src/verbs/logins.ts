import { exitCodes } from '../failure.ts';
import { findLogins } from '../logins/logins.ts';
import { shownLogin, showLogins } from '../present/show-logins.ts';
import type { Surroundings } from '../surroundings.ts';
import type { Terminal } from '../terminal.ts';

/** `switchyard logins`: lists the logins, without tokens and secrets. */
export async function logins(surroundings: Surroundings, terminal: Terminal): Promise<number> {
  const found = await findLogins(surroundings);
  const all = ((await found?.list()) ?? []).map(shownLogin);
  terminal.result(all, () => showLogins(all, surroundings));
  return exitCodes.success;
}

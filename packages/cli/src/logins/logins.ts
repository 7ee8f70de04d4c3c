import { access, rm } from 'node:fs/promises';
import type { TokenStore } from '@switchyard/client/authorization';
import { createFileTokenStore } from '@switchyard/client/node';
import { isJsonObject } from '@switchyard/protocol';
import { Failure } from '../failure.ts';
import type { Surroundings } from '../surroundings.ts';
import { loginFolder } from './login-folder.ts';

/** A login to one MCP server. Its tokens are kept beside it. */
export interface Login {
  /** Of the MCP server, without user and fragment. */
  readonly url: string;
  /** The origin of the page on which the user logged in. */
  readonly authorizationServer: string;
  /** As ISO 8601, in UTC. */
  readonly loggedInAt: string;
  /** What was asked for beyond what the server needs. */
  readonly scope?: string;
  readonly clientId?: string;
  readonly clientSecret?: string;
  readonly clientMetadataUrl?: string;
  /** Whether only a token that is bound to a key is taken. */
  readonly dpop?: boolean;
}

/** The logins of the user who runs this command. */
export interface Logins {
  readonly folder: string;
  /** Where their tokens are kept. */
  readonly store: TokenStore;
  /** In the order of their URLs. */
  list(): Promise<readonly Login[]>;
  find(url: string): Promise<Login | undefined>;
  /** Keeps a login in place of an earlier one to the same URL. */
  keep(login: Login, signal: AbortSignal): Promise<void>;
  /** Forgets a login; its tokens are somebody else's business. */
  remove(url: string, signal: AbortSignal): Promise<void>;
  /** Deletes all logins with their tokens, where they cannot be read: without their list nobody finds those again. */
  clear(): Promise<void>;
}

const PASSPHRASE = 'SWITCHYARD_LOGIN_PASSPHRASE';
const KEY = 'switchyard logins';

/** Answers a URL as logins are found by it. */
export function loginUrl(text: string): string {
  const url = new URL(text);
  url.username = '';
  url.password = '';
  url.hash = '';
  return url.href;
}

/**
 * Opens the logins of the user; nothing is read or made yet. They are encrypted by the passphrase in
 * `SWITCHYARD_LOGIN_PASSPHRASE` where there is one, else by a random key in the same folder. Throws where the
 * environment does not say where settings are.
 */
export function openLogins({ env }: Pick<Surroundings, 'env'>): Logins {
  const folder = loginFolder(env);
  if (folder === undefined) {
    throw new Failure(
      'logins',
      'There is no place for logins: set HOME (APPDATA on Windows) or XDG_CONFIG_HOME to an absolute path.',
    );
  }
  const { [PASSPHRASE]: passphrase = '' } = env;
  const store = createFileTokenStore({ folder, ...(passphrase === '' ? {} : { key: { passphrase } }) });

  return {
    folder,
    store,
    list,
    find: async (url) => (await list()).find((login) => login.url === url),
    keep: (login, signal) => change(signal, (logins) => [...logins.filter(({ url }) => url !== login.url), login]),
    clear: () => removeFolder(folder),
    remove: (gone, signal) => change(signal, (logins) => logins.filter(({ url }) => url !== gone)),
  };

  async function list(): Promise<readonly Login[]> {
    try {
      return parse(await store.get(KEY));
    } catch (error) {
      throw explainKey(error, passphrase !== '');
    }
  }

  function change(signal: AbortSignal, edit: (logins: readonly Login[]) => readonly Login[]): Promise<void> {
    return store.exclusively(KEY, signal, async () => {
      const logins = [...edit(await list())].sort((a, b) => (a.url < b.url ? -1 : 1));
      await store.set(KEY, JSON.stringify(logins));
    });
  }
}

/** Answers the logins where somebody has logged in before, so that nothing is made for who never did. */
export async function findLogins(surroundings: Pick<Surroundings, 'env'>): Promise<Logins | undefined> {
  const folder = loginFolder(surroundings.env);
  if (folder === undefined) return undefined;
  const isThere = await access(folder).then(
    () => true,
    () => false,
  );
  return isThere ? openLogins(surroundings) : undefined;
}

async function removeFolder(folder: string): Promise<void> {
  try {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new Failure('logins', `The folder ${folder} could not be removed: ${why}. Remove it.`, { cause });
  }
}

/** Has an error of the key say where this command has it from. */
function explainKey(error: unknown, hasPassphrase: boolean): unknown {
  if (!(error instanceof Error) || error.name !== 'TokenStoreError' || !('code' in error)) return error;
  if (error.code !== 'wrong-key' && error.code !== 'invalid-argument') return error;
  const from = `The passphrase is that of ${PASSPHRASE}, which is ${hasPassphrase ? 'set' : 'not set'}.`;
  return new Failure('logins', `${error.message} ${from}`, { cause: error });
}

function parse(text: string | undefined): readonly Login[] {
  const entries: unknown = text === undefined ? [] : JSON.parse(text);
  return Array.isArray(entries) ? entries.filter(isLogin) : [];
}

function isLogin(entry: unknown): entry is Login {
  return isJsonObject(entry) && typeof entry['url'] === 'string';
}

import type { JWK } from 'jose';
import { digestOf } from '../peer/digest.ts';
import type { PeerContext } from '../peer/peer-context.ts';
import { type DpopKey, openDpopKey } from './dpop-key.ts';
import { readTokens, storeKey, type StoredTokens } from './stored-tokens.ts';
import type { TokenStore } from './token-store.ts';

/** A token that can be used. */
export interface LiveToken {
  readonly tokens: StoredTokens;
  readonly key: DpopKey | undefined;
  /** As `HttpCredentials.principal`. */
  readonly principal: string;
}

/** What the store has, as a text and as tokens; these are absent where the text is none of ours. */
export interface KeptTokens {
  readonly text: string | undefined;
  /** Names the time from the first sign-in to the logout: a token that is gone looks like one that never was. */
  readonly login: string | undefined;
  readonly tokens: StoredTokens | undefined;
  /** Why the login has no name, so that nobody could tell later whether it is over. */
  readonly failure?: unknown;
}

/** Which tokens are kept, and where. */
export interface TokenKeeperOptions {
  readonly context: PeerContext;
  readonly store: TokenStore;
  /** What the MCP server is called in the store. */
  readonly serverName: string;
  readonly grantType: string;
  /** Whether stored tokens are such as these credentials ask for. */
  readonly isTaken: (tokens: StoredTokens) => boolean;
}

/** The token of one server: what is used now, and what of it is in the store, which outlives it. */
export interface TokenKeeper {
  /** The name of its entry; who refreshes holds the store's lock of it. */
  readonly key: string;
  /** Answers what is used now. */
  live(): LiveToken | undefined;
  /** How often the user logged out: work that began under another number must not end in a token. */
  logouts(): number;
  read(): Promise<KeptTokens>;
  /** As `read`, before a token is asked for where there may be none: from now on a logout can be told. */
  begin(signal: AbortSignal): Promise<KeptTokens>;
  /** Uses tokens that the store has. Rejects where the user logged out since `logouts`. */
  use(tokens: StoredTokens, logouts: number): Promise<void>;
  /** Uses none any more, because the store has none. */
  drop(): void;
  /**
   * Keeps tokens and uses them, in place of what was there when they were asked for. Where another process logged out
   * meanwhile, it rejects; where it wrote something else, that is used instead, unless these are what a user just agreed
   * to. What cannot be written now is used all the same, and written later, where nothing else was meanwhile and the
   * login has a name: the refresh token before it is spent.
   */
  keep(tokens: StoredTokens, how: KeepOptions): Promise<void>;
  /** Whether something has to be written that could not be a while ago. */
  mustWrite(): boolean;
  /** Tries to write what could not be. Rejects with what the store says. */
  write(signal: AbortSignal): Promise<void>;
  /** Forgets the token, here and in the store, without reading it: what is damaged goes, too. */
  forget(signal: AbortSignal): Promise<void>;
  /** Opens the key of a token; the one that is open already remembers the nonces that servers gave. */
  keyOf(jwk: JWK): Promise<DpopKey>;
}

interface KeepOptions {
  readonly logouts: number;
  /** What was there when the tokens were asked for. */
  readonly over: KeptTokens;
  /** Whether they replace what another process wrote meanwhile. */
  readonly wins: boolean;
  readonly signal: AbortSignal;
}

interface Unwritten extends Omit<KeepOptions, 'signal'> {
  readonly tokens: StoredTokens;
}

const WRITE_AGAIN_MS = 5000;

/** Creates the keeper. Writes of all processes exclude each other for a moment, not for as long as somebody asks. */
export function createTokenKeeper(options: TokenKeeperOptions): TokenKeeper {
  const { context, store, serverName, grantType, isTaken } = options;
  const { clock } = context;
  const key = storeKey('tokens', serverName, grantType);
  const writing = storeKey('tokens-write', serverName, grantType);
  const loginKey = storeKey('login', serverName, grantType);
  let live: LiveToken | undefined;
  let logouts = 0;
  let unwritten: Unwritten | undefined;
  let writeAt = 0;

  return {
    key,
    live: () => live,
    logouts: () => logouts,
    read,
    begin,
    use,
    drop: () => (live = undefined),
    keep,
    mustWrite: () => unwritten !== undefined && clock.now() >= writeAt,
    write,
    forget,
    keyOf,
  };

  async function read(): Promise<KeptTokens> {
    const [text, login] = await Promise.all([store.get(key), store.get(loginKey)]);
    // What could not be written yet stands for what it replaces.
    if (unwritten !== undefined && unwritten.over.text === text && unwritten.over.login === login) {
      return { ...unwritten.over, tokens: unwritten.tokens };
    }
    return { text, login, tokens: taken(text) };
  }

  async function begin(signal: AbortSignal): Promise<KeptTokens> {
    const over = await read();
    if (over.text !== undefined || over.login !== undefined) return over;
    try {
      await store.exclusively(writing, signal, async () => {
        if ((await store.get(loginKey)) === undefined) await store.set(loginKey, crypto.randomUUID());
      });
    } catch (failure) {
      return { ...over, failure };
    }
    return read();
  }

  function taken(text: string | undefined): StoredTokens | undefined {
    const tokens = readTokens(text);
    return tokens !== undefined && isTaken(tokens) ? tokens : undefined;
  }

  async function use(tokens: StoredTokens, began: number): Promise<void> {
    const { issuer, clientId, resource, accessToken, refreshToken, dpopJwk } = tokens;
    context.learnSecret(accessToken);
    if (refreshToken !== undefined) context.learnSecret(refreshToken);
    const dpopKey = dpopJwk === undefined ? undefined : await keyOf(dpopJwk);
    assertNotOut(began);
    // Another access token is another authorization context: it may allow less than the one before.
    const principal = digestOf('oauth principal', JSON.stringify([issuer, clientId, resource, grantType, accessToken]));
    live = { tokens, key: dpopKey, principal };
  }

  async function keyOf(jwk: JWK): Promise<DpopKey> {
    return live?.key !== undefined && live.key.jwk.d === jwk.d ? live.key : openDpopKey(jwk);
  }

  async function keep(tokens: StoredTokens, { signal, ...how }: KeepOptions): Promise<void> {
    const wanted = { tokens, ...how };
    let used: StoredTokens | undefined;
    try {
      used = await writeOver(wanted, signal);
    } catch (error) {
      assertNotOut(how.logouts);
      unwritten = { ...wanted, wins: false };
      writeAt = clock.now() + WRITE_AGAIN_MS;
      context.warn(
        'token-not-stored',
        () => `a new token is not in the store yet, and is lost with this process: ${reasonOf(error)}`,
      );
      used = tokens;
    }
    await useWritten(used, how.logouts);
  }

  /** Answers what stands in the store then; `undefined` where another process logged out. */
  function writeOver(
    { tokens, over, wins, logouts: began }: Unwritten,
    signal: AbortSignal,
  ): Promise<StoredTokens | undefined> {
    return store.exclusively(writing, signal, async () => {
      assertNotOut(began);
      const [text, login] = await Promise.all([store.get(key), store.get(loginKey)]);
      const isOther = text !== over.text && (text === undefined || !wins);
      if (isOther || login !== over.login) return taken(text);
      if (over.failure !== undefined) throw over.failure;
      assertNotOut(began);
      await store.set(key, JSON.stringify(tokens));
      unwritten = undefined;
      return tokens;
    });
  }

  async function write(signal: AbortSignal): Promise<void> {
    const wanted = unwritten;
    if (wanted === undefined) return;
    writeAt = clock.now() + WRITE_AGAIN_MS;
    const used = await writeOver(wanted, signal);
    if (unwritten === wanted) unwritten = undefined;
    if (used !== wanted.tokens) await useWritten(used, wanted.logouts);
  }

  async function useWritten(tokens: StoredTokens | undefined, began: number): Promise<void> {
    if (tokens !== undefined) return use(tokens, began);
    live = undefined;
    throw loggedOut();
  }

  async function forget(signal: AbortSignal): Promise<void> {
    logouts += 1;
    live = undefined;
    unwritten = undefined;
    await store.exclusively(writing, signal, async () => {
      await store.delete(loginKey);
      await store.delete(key);
    });
  }

  function assertNotOut(began: number): void {
    if (began !== logouts) throw loggedOut();
  }

  function loggedOut(): Error {
    return context.fail('authorization', 'the user logged out while a token was obtained, and it was dropped.');
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

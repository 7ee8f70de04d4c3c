import { digestOf } from '../peer/digest.ts';
import { createObtain, type ObtainRequest } from './obtain-token.ts';
import { createRefresh, type RefreshRequest } from './refresh-token.ts';
import { registrationKey } from './register-client.ts';
import { storeKey, type StoredTokens } from './stored-tokens.ts';
import { createTokenKeeper, type LiveToken } from './token-keeper.ts';
import type { TokenSourceOptions, TokenWork } from './token-work.ts';

/** The one place that obtains, refreshes and keeps tokens. Each function runs once at a time. */
export interface TokenSource {
  /** Answers what is used now. */
  live(): LiveToken | undefined;
  /** Takes what the store has, if it has anything. */
  load(): Promise<void>;
  refresh(request: RefreshRequest): Promise<boolean>;
  obtain(request: ObtainRequest): Promise<void>;
  /** Whether a token has to be written that could not be a while ago. */
  mustWrite(): boolean;
  /** Writes it. Rejects with what the store says. */
  write(signal: AbortSignal): Promise<void>;
  /** Forgets the token, here and in the store, and where wanted what the client is registered as. */
  forget(options: { readonly forgetClient?: boolean; readonly signal: AbortSignal }): Promise<void>;
}

/** Creates the source of tokens for one server and one grant. */
export function createTokenSource(options: TokenSourceOptions): TokenSource {
  const { context, store, server, grant, sources, dpop } = options;
  // A query may hold a key, and names in a store are no secrets.
  const query = server.search === '' ? '' : `?${digestOf('server query', server.search)}`;
  const serverName = server.origin + server.pathname + query;
  const keeper = createTokenKeeper({ context, store, serverName, grantType: grant.type, isTaken });
  const work: TokenWork = { ...options, keeper, serverName, known: new Map() };
  const { live, mustWrite, write } = keeper;

  return {
    live,
    load,
    refresh: createRefresh(work),
    obtain: createObtain(work),
    mustWrite,
    write,
    forget,
  };

  /**
   * Tokens of another client or authorization server than the configured one, or bound to no key, are as good as none.
   */
  function isTaken({ clientId, issuer, tokenType }: StoredTokens): boolean {
    const { preRegistered } = sources;
    if (preRegistered !== undefined && preRegistered.clientId !== clientId) return false;
    const isOfIssuer = [grant.issuer, preRegistered?.issuer].every((one) => one === undefined || one === issuer);
    return isOfIssuer && (dpop !== true || tokenType === 'dpop');
  }

  async function load(): Promise<void> {
    const logouts = keeper.logouts();
    const { tokens } = await keeper.read();
    if (tokens !== undefined && logouts === keeper.logouts()) await keeper.use(tokens, logouts);
  }

  async function forget({ forgetClient = false, signal }: Parameters<TokenSource['forget']>[0]): Promise<void> {
    const { redirectUri } = grant;
    const issuer = forgetClient && redirectUri !== undefined ? await issuerOfTokens() : undefined;
    await keeper.forget(signal);
    if (issuer !== undefined && redirectUri !== undefined) await store.delete(registrationKey(issuer, redirectUri));
    const { clientId } = sources.preRegistered ?? {};
    if (forgetClient && clientId !== undefined) await store.delete(storeKey('pre-registered', serverName, clientId));
  }

  async function issuerOfTokens(): Promise<string | undefined> {
    try {
      return (live()?.tokens ?? (await keeper.read()).tokens)?.issuer;
    } catch {
      // What cannot be read is deleted all the same, and a registration that does not work is made anew by itself.
      return undefined;
    }
  }
}

import type { AuthorizationServer } from 'oauth4webapi';
import type { PeerContext } from '../peer/peer-context.ts';
import type { BoundedFetch } from './bounded-fetch.ts';
import type { ClientSources } from './client-registration.ts';
import type { Grant } from './grant.ts';
import type { TokenKeeper } from './token-keeper.ts';
import type { TokenStore } from './token-store.ts';

/** Whether tokens are bound to a key. */
export type DpopUse = boolean | 'when-supported';

/** What tokens are obtained with. */
export interface TokenSourceOptions {
  readonly context: PeerContext;
  readonly fetch: BoundedFetch;
  readonly store: TokenStore;
  readonly server: URL;
  readonly grant: Grant;
  readonly sources: ClientSources;
  /** What is always asked for. */
  readonly scopes: readonly string[];
  readonly dpop: DpopUse;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** What obtaining and refreshing have in common. */
export interface TokenWork extends TokenSourceOptions {
  readonly keeper: TokenKeeper;
  /** What the MCP server is called in the store. */
  readonly serverName: string;
  /** Metadata of authorization servers by issuer, as they were last found. */
  readonly known: Map<string, AuthorizationServer>;
}

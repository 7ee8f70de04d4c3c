import type { ClientAuthMethod } from './known-client.ts';

/** A client as an authorization server registered it. */
export interface Registration {
  readonly clientId: string;
  readonly clientSecret?: string;
  /** Seconds since 1970; absent for never. */
  readonly expiresAt?: number;
  readonly authMethod: ClientAuthMethod;
  /** What it was registered with. */
  readonly redirectUri: string;
}

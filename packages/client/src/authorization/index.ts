export { type TokenStore } from './token-store.ts';
export { createClientMetadata, type ClientMetadataOptions } from './client-metadata.ts';
export { type PreRegisteredClient } from './client-registration.ts';
export {
  type Grant,
  type GrantClient,
  type GrantedTokens,
  type GrantHttpOptions,
  type GrantRequest,
  type GrantRequestInit,
} from './grant.ts';
export { createMemoryTokenStore } from './memory-token-store.ts';
export { createOAuthCredentials, type OAuthCredentials } from './oauth-credentials.ts';
export { type OAuthCredentialsOptions } from './oauth-options.ts';
export { type Redirect } from './redirect.ts';
export { type DpopUse } from './token-work.ts';
export { clientCredentials, type ClientCredentialsOptions } from './client-credentials.ts';
export {
  enterpriseAuthorization,
  type EnterpriseAuthorizationOptions,
  type IdentityProvider,
} from './enterprise-authorization.ts';
export { type ClientAuthMethod, type ClientSecret, type IssuedClient, type KnownClient } from './known-client.ts';
export { createRecordTokenStore, type RecordTokenStoreOptions } from './record-token-store.ts';
export { type SigningKey } from './signing-key.ts';
export { TokenStoreError, type TokenStoreErrorCode } from './token-store-error.ts';
export { type AssertionRequest, workloadIdentity, type WorkloadIdentityOptions } from './workload-identity.ts';

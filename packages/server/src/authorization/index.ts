export { anyOf } from './any-of.ts';
export { type ApiKey, apiKeys, type ApiKeysOptions, hashApiKey } from './api-keys.ts';
export { assertScopes } from './assert-scopes.ts';
export { AuthorizationServerError } from './authorization-server-error.ts';
export { bearerJwt, type BearerJwtOptions } from './bearer-jwt.ts';
export { type FetchOptions } from './bounded-fetch.ts';
export { type ClientCredentials } from './client-authentication.ts';
export { type CertificateForm, clientCertificateFrom, type ReadClientCertificate } from './client-certificate.ts';
export { createDpopNonces, type DpopNonces, type DpopNoncesOptions } from './dpop-nonces.ts';
export { exchangeTokenFor } from './exchange-token.ts';
export { introspection, type IntrospectionOptions } from './introspection.ts';
export { metadataToFetch } from './metadata-handler.ts';
export { type ExchangedToken } from './principal-grant.ts';
export { protectedResource, type ProtectedResource, type ProtectedResourceOptions } from './protected-resource.ts';
export { createReplaySet, type ReplaySet, type ReplaySetOptions } from './replay-set.ts';
export {
  createRevocations,
  type RevocableToken,
  type RevocationCheck,
  type Revocations,
  type RevocationsOptions,
} from './revocations.ts';
export { type ImpliedScopes } from './scopes.ts';
export { type TokenOptions } from './token-authenticate.ts';
export { type CallerClaims } from './token-caller.ts';
export { createTokenExchange, type TokenExchange, type TokenExchangeOptions } from './token-exchange.ts';
export { TokenExchangeError } from './token-exchange-error.ts';

import {
  type AuthorizationServer,
  type ClientAuth,
  ClientSecretPost,
  modifyAssertion,
  None,
  PrivateKeyJwt,
} from 'oauth4webapi';
import { excerpt, quoted } from '../peer/excerpt.ts';
import type { PeerContext } from '../peer/peer-context.ts';
import { clientSecretBasic } from './client-secret-basic.ts';
import type { GrantClient } from './grant.ts';
import { type ReadySigningKey, readySigningKey, type SigningKey } from './signing-key.ts';

/** A secret, or a function that answers it, such as one that asks a secret manager; it is called for each token. */
export type ClientSecret = string | (() => string | Promise<string>);

/** How a client shows its secret at the token endpoint; `none` for a client without one. */
export type ClientAuthMethod = 'client_secret_basic' | 'client_secret_post' | 'none';

/**
 * A client that an authorization server knows, and what it shows there that it is the one; a public one shows nothing.
 */
export interface KnownClient {
  readonly clientId: string;
  /**
   * Signs assertions (`private_key_jwt`). Where there is a secret, too, the key is used unless the server takes secrets
   * only: an assertion is good for a minute and for that server alone, and the key never leaves this process.
   */
  readonly privateKey?: SigningKey;
  /** The `kid` of the key, where it is not in a JWK and the server has several keys of this client. */
  readonly keyId?: string;
  readonly secret?: ClientSecret;
  /** Default: `client_secret_basic`, or `client_secret_post` where the server takes a secret no other way. */
  readonly authMethod?: ClientAuthMethod;
}

/** A client of one authorization server. */
export interface IssuedClient extends KnownClient {
  /**
   * The issuer that knows this client, exactly as its metadata writes it. An MCP server says by itself which
   * authorization server it trusts; one that names another than this gets no credential and no token. `any` allows
   * every one: with a secret only for a server that may know the secret, too.
   */
  readonly issuer: string;
}

type Context = Pick<PeerContext, 'fail' | 'learnSecret'>;

/**
 * Answers the client of a machine as grants take it. Rejects with a `ClientError`: `authorization` for another
 * authorization server than the client's, or one that takes neither what is given; `invalid-argument` for a client with
 * nothing to show, and for a key that cannot sign.
 */
export async function toIssuedClient(
  client: IssuedClient,
  server: AuthorizationServer,
  context: Context,
): Promise<GrantClient> {
  if (client.issuer !== 'any' && client.issuer !== server.issuer) {
    throw context.fail(
      'authorization',
      `it wants tokens of the authorization server "${excerpt(server.issuer)}", and the client ` +
        `${quoted(client.clientId)} belongs to "${excerpt(client.issuer)}"; nothing was sent there. ` +
        'Look whether the server moved, and register a client there if it did.',
    );
  }
  if (client.privateKey === undefined && client.secret === undefined) {
    throw context.fail('invalid-argument', `the client ${quoted(client.clientId)} has no private key and no secret.`);
  }
  return toGrantClient(client, server, context);
}

/** As {@link toIssuedClient}, for a server that the caller has chosen, and for public clients, too. */
export async function toGrantClient(
  { clientId, privateKey, keyId, secret, authMethod }: KnownClient,
  server: AuthorizationServer,
  context: Context,
): Promise<GrantClient> {
  const client = { client_id: clientId };
  const taken = server.token_endpoint_auth_methods_supported;
  const takes = (method: string): boolean => taken === undefined || taken.includes(method);
  if (privateKey !== undefined && (takes('private_key_jwt') || secret === undefined)) {
    if (!takes('private_key_jwt')) throw refused(server, 'private_key_jwt', context);
    const key = await readySigningKey(privateKey, context);
    return { client, authentication: assertionOf(key, keyId ?? key.keyId, server, context) };
  }
  if (secret === undefined || authMethod === 'none') return { client, authentication: None() };
  const method = authMethod ?? secretMethodOf(server);
  if (method === undefined) throw refused(server, 'client_secret_basic and client_secret_post', context);
  const value = typeof secret === 'function' ? await secret() : secret;
  if (typeof value !== 'string' || value === '') {
    throw context.fail('invalid-argument', `the secret of the client ${quoted(clientId)} is no text.`);
  }
  context.learnSecret(value);
  return { client, authentication: (method === 'client_secret_post' ? ClientSecretPost : clientSecretBasic)(value) };
}

/**
 * Answers how a server takes secrets: Basic where its list is absent (RFC 8414 section 2); `undefined` for in no way.
 */
export function secretMethodOf(server: AuthorizationServer): ClientAuthMethod | undefined {
  const taken = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
  return (['client_secret_basic', 'client_secret_post'] as const).find((method) => taken.includes(method));
}

function assertionOf(
  { key, algorithm }: ReadySigningKey,
  keyId: string | undefined,
  server: AuthorizationServer,
  context: Pick<PeerContext, 'fail'>,
): ClientAuth {
  const taken = server.token_endpoint_auth_signing_alg_values_supported;
  // The newer name of the same algorithm, where a server knows only that.
  const name = algorithm === 'EdDSA' && taken?.includes('EdDSA') === false ? 'Ed25519' : algorithm;
  if (taken !== undefined && !taken.includes(name)) {
    throw context.fail(
      'authorization',
      `the authorization server takes assertions of ${excerpt(taken.join(', '))}, and the key is for ${algorithm}.`,
    );
  }
  return PrivateKeyJwt(keyId === undefined ? key : { key, kid: keyId }, {
    [modifyAssertion](header) {
      header['alg'] = name;
    },
  });
}

function refused(
  { token_endpoint_auth_methods_supported: taken = [] }: AuthorizationServer,
  methods: string,
  context: Pick<PeerContext, 'fail'>,
): Error {
  const shown = taken.length === 0 ? 'no client authentication' : excerpt(taken.join(', '));
  return context.fail('authorization', `the authorization server takes ${shown}, and this client has ${methods} only.`);
}

import {
  type AuthorizationServer,
  type ClientAuth,
  ClientSecretPost,
  modifyAssertion,
  PrivateKeyJwt,
} from 'oauth4webapi';
import type { PeerContext } from '../peer/peer-context.ts';
import { clientSecretBasic } from './client-secret-basic.ts';
import type { GrantClient } from './grant.ts';
import { type ReadySigningKey, readySigningKey, type SigningKey } from './signing-key.ts';

/** A secret, or a function that answers it, such as one that asks a secret manager; it is called for each token. */
export type ClientSecret = string | (() => string | Promise<string>);

/** A client that an authorization server knows, and what it shows there that it is the one. At least one is given. */
export interface MachineClient {
  readonly clientId: string;
  /**
   * Signs assertions (`private_key_jwt`). Where there is a secret, too, the key is used unless the server takes secrets
   * only: an assertion is good for a minute and for that server alone, and the key never leaves this process.
   */
  readonly privateKey?: SigningKey;
  /** The `kid` of the key, where it is not in a JWK and the server has several keys of this client. */
  readonly keyId?: string;
  /** Sent as `client_secret_basic`, or as `client_secret_post` where the server takes it no other way. */
  readonly secret?: ClientSecret;
}

/** A client of one authorization server. */
export interface IssuedMachineClient extends MachineClient {
  /**
   * The issuer that knows this client, exactly as its metadata writes it. An MCP server says by itself which
   * authorization server it trusts; one that names another than this gets no credential and no token. `any` allows
   * every one: with a secret only for a server that may know the secret, too.
   */
  readonly issuer: string;
}

/**
 * Answers the client as grants take it. Rejects with a `ClientError`: `authorization` for another authorization server
 * than the client's, or one that takes neither what is given; `invalid-argument` for a key that cannot sign.
 */
export async function toIssuedClient(
  client: IssuedMachineClient,
  server: AuthorizationServer,
  context: Pick<PeerContext, 'fail' | 'learnSecret'>,
): Promise<GrantClient> {
  if (client.issuer !== 'any' && client.issuer !== server.issuer) {
    throw context.fail(
      'authorization',
      `it wants tokens of the authorization server ${JSON.stringify(server.issuer)}, and the client ` +
        `${JSON.stringify(client.clientId)} belongs to ${JSON.stringify(client.issuer)}; nothing was sent there. ` +
        'Look whether the server moved, and register a client there if it did.',
    );
  }
  return toGrantClient(client, server, context);
}

/** As {@link toIssuedClient}, for a server that the caller has named. */
export async function toGrantClient(
  { clientId, privateKey, keyId, secret }: MachineClient,
  server: AuthorizationServer,
  context: Pick<PeerContext, 'fail' | 'learnSecret'>,
): Promise<GrantClient> {
  const client = { client_id: clientId };
  const taken = server.token_endpoint_auth_methods_supported;
  const takes = (method: string): boolean => taken === undefined || taken.includes(method);
  if (privateKey !== undefined && (takes('private_key_jwt') || secret === undefined)) {
    if (!takes('private_key_jwt')) throw refused(server, ['private_key_jwt'], context);
    const key = await readySigningKey(privateKey, context);
    return { client, authentication: assertionOf(key, keyId ?? key.keyId, server, context) };
  }
  if (secret === undefined) {
    throw context.fail('invalid-argument', `the client ${JSON.stringify(clientId)} has no private key and no secret.`);
  }
  const method = takes('client_secret_basic')
    ? clientSecretBasic
    : takes('client_secret_post')
      ? ClientSecretPost
      : undefined;
  if (method === undefined) throw refused(server, ['client_secret_basic', 'client_secret_post'], context);
  const value = typeof secret === 'function' ? await secret() : secret;
  if (typeof value !== 'string' || value === '')
    throw context.fail('invalid-argument', `the secret of the client ${JSON.stringify(clientId)} is no text.`);
  context.learnSecret(value);
  return { client, authentication: method(value) };
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
      `the authorization server takes assertions of ${taken.join(', ')}, and the key is for ${algorithm}.`,
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
  methods: readonly string[],
  context: Pick<PeerContext, 'fail'>,
): Error {
  return context.fail(
    'authorization',
    `the authorization server takes ${taken.join(', ') || 'no client authentication'}, and this client has ` +
      `${methods.join(' and ')} only.`,
  );
}

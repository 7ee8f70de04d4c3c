import type { ClientAuth } from 'oauth4webapi';
import { excerpt, maskedExcerpt, quoted } from '../peer/excerpt.ts';
import type { Grant, GrantedTokens, GrantRequest } from './grant.ts';

/** For whom an assertion is asked. */
export interface AssertionRequest {
  /** The authorization server, whose metadata were found under this name. */
  readonly issuer: string;
  /** Where the assertion will be sent; its `aud` is this or the issuer, whichever the authorization server wants. */
  readonly tokenEndpoint: string;
  /** The MCP server. */
  readonly resource: string | undefined;
  readonly signal: AbortSignal;
}

/** Who a workload is. */
export interface WorkloadIdentityOptions {
  /** Names the workload, and tells its tokens from those of others that share a store; not sent. */
  readonly workload: string;
  /**
   * Answers the JWT that the platform gives this workload, fresh for each token: read from the file of a projected
   * token, or asked of a metadata service. Its audience must be the authorization server. It may refuse by throwing.
   */
  readonly assertion: (request: AssertionRequest) => string | Promise<string>;
  /**
   * The issuer that the assertion is for, exactly; another authorization server gets none. `any`: the assertion
   * decides.
   */
  readonly issuer: string;
  /** Sent as `client_id` where the authorization server wants one. */
  readonly clientId?: string;
  /** Scopes that are asked for where the server names none. */
  readonly scopes?: readonly string[];
}

const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer';

/**
 * Creates the grant of a workload that its platform vouches for: the platform's JWT is exchanged for a token, without a
 * client, a secret or a key. A refusal of the authorization server is final for that attempt: the assertion is not sent
 * again, and no other grant is tried. Before a token ends, another assertion is asked for.
 *
 * Errors (`ClientError`): `authorization` where the MCP server wants tokens of another authorization server, where
 * there is no assertion, and where the authorization server refuses, whose own code is then in `oauthError`.
 *
 * Spec: RFC 7523 section 2.1; extension io.modelcontextprotocol/auth/wif (SEP-1933).
 */
export function workloadIdentity(options: WorkloadIdentityOptions): Grant {
  const { workload, clientId, scopes, issuer } = options;
  return {
    // Tokens of two workloads in one store are told apart by it.
    type: `${JWT_BEARER} ${workload}`,
    ...(issuer === 'any' ? {} : { issuer }),
    ...(scopes === undefined ? {} : { scopes }),
    client(server, context) {
      if (issuer !== 'any' && issuer !== server.issuer) {
        throw context.fail(
          'authorization',
          `it wants tokens of the authorization server "${excerpt(server.issuer)}", and the assertions of ` +
            `${quoted(workload)} are for "${excerpt(issuer)}"; none was sent there.`,
        );
      }
      return { client: { client_id: clientId ?? workload }, authentication: identify(clientId) };
    },
    obtain: (request) => exchange(options, request),
  };
}

/** The assertion says who it is; a `client_id` is sent only where there is one. */
function identify(clientId: string | undefined): ClientAuth {
  return (_server, _client, body) => {
    if (clientId !== undefined) body.set('client_id', clientId);
  };
}

async function exchange(
  { workload, assertion: ask }: WorkloadIdentityOptions,
  { server, resource, signal, context, token }: GrantRequest,
): Promise<GrantedTokens> {
  let assertion: unknown;
  try {
    const tokenEndpoint = server.token_endpoint ?? '';
    assertion = await ask({ issuer: server.issuer, tokenEndpoint, resource, signal });
  } catch (cause) {
    signal.throwIfAborted();
    const why = maskedExcerpt(context, cause instanceof Error ? cause.message : String(cause));
    throw context.fail('authorization', `no assertion could be had for the workload ${quoted(workload)}: ${why}`, {
      cause,
    });
  }
  if (typeof assertion !== 'string' || assertion.trim() === '')
    throw context.fail('authorization', `the assertion of the workload ${quoted(workload)} is no text.`);
  return token(JWT_BEARER, { assertion: assertion.trim() });
}

import { type Principal, ProtocolError } from '@switchyard/protocol';

import { renderChallenge } from './challenge.ts';
import { grantOf } from './principal-grant.ts';

/**
 * Asserts that a caller holds every scope of an operation, or broader ones that imply them. A principal without
 * `scopes` holds none, and neither does a caller without a principal, on every transport: who serves over stdio says in
 * the principal what the local user may. Call it before anything of the operation runs or streams, since a status
 * cannot follow a stream that is open.
 *
 * Spec: basic/authorization#scope-challenge-handling (2026-07-28).
 *
 * @throws ProtocolError -32600 that names all scopes of the operation in one challenge, over HTTP with status 403, or
 *   401 where nobody was authenticated.
 */
export function assertScopes(principal: Principal | undefined, required: readonly string[]): void {
  if (holdsScopes(principal, required)) return;
  const { resource } = grantOf(principal);
  const listed = required.join(' ');
  if (principal === undefined) {
    // The transport that knows the resource adds the challenge.
    throw new ProtocolError('invalidRequest', `The operation is for authenticated callers with the scopes: ${listed}`, {
      status: 401,
      data: { requiredScopes: required },
    });
  }
  const description = `The operation takes the scopes: ${listed}`;
  throw new ProtocolError('invalidRequest', description, {
    status: 403,
    data: { requiredScopes: required },
    headers: {
      'www-authenticate': renderChallenge('Bearer', resource, {
        error: 'insufficient_scope',
        description,
        scopes: required,
      }),
    },
  });
}

/**
 * Answers whether a caller holds every scope, or broader ones that imply them; for {@link assertScopes}, and for what
 * is only told to some.
 */
export function holdsScopes(principal: Principal | undefined, required: readonly string[]): boolean {
  if (required.length === 0) return true;
  const { resource } = grantOf(principal);
  const granted = principal?.scopes ?? [];
  return resource === undefined
    ? required.every((scope) => granted.includes(scope))
    : resource.missingScopes(granted, required).length === 0;
}

/** Answers the scopes that an error of {@link assertScopes} asks for, or `undefined` for any other. */
export function requiredScopesOf({ data }: ProtocolError): readonly string[] | undefined {
  if (typeof data !== 'object' || data === null || !('requiredScopes' in data)) return undefined;
  const { requiredScopes } = data;
  return Array.isArray(requiredScopes) && requiredScopes.every((scope) => typeof scope === 'string')
    ? requiredScopes
    : undefined;
}

import { isJsonObject, type JsonObject } from '@switchyard/protocol';
import type { AuthorizationServer } from 'oauth4webapi';

import { AuthorizationServerError } from './authorization-server-error.ts';
import type { BoundedFetch } from './bounded-fetch.ts';
import { createRefreshedValue } from './refreshed-value.ts';
import { toSecureUrl } from './secure-url.ts';

/** Answers the metadata of an authorization server. Rejects with AuthorizationServerError. */
export type AuthorizationServerMetadata = () => Promise<AuthorizationServer>;

const MAX_AGE_MS = 3_600_000;

/**
 * Makes the function that answers an authorization server's own metadata, found by its issuer: got once, and anew after
 * an hour.
 *
 * Spec: basic/authorization/authorization-server-discovery#authorization-server-metadata-discovery (2026-07-28); RFC
 * 8414 sections 3.1 and 3.3.
 */
export function createServerMetadata(
  issuer: string,
  fetch: BoundedFetch,
  now: () => number,
): AuthorizationServerMetadata {
  const metadata = createRefreshedValue(() => discover(issuer, fetch), {
    maxAgeMs: MAX_AGE_MS,
    cooldownMs: MAX_AGE_MS,
    now,
  });
  return () => metadata.get();
}

async function discover(issuer: string, fetch: BoundedFetch): Promise<AuthorizationServer> {
  for (const url of metadataUrls(issuer)) {
    const response = await fetch(url, { headers: { accept: 'application/json' } });
    const document = response.status === 200 ? await readObject(response) : undefined;
    if (document === undefined) continue;
    if (document['issuer'] !== issuer)
      throw new AuthorizationServerError(
        `${url} is the metadata of ${JSON.stringify(document['issuer'])}, not of ${JSON.stringify(issuer)}: the issuer must be written exactly as the authorization server calls itself`,
      );
    return { ...document, issuer };
  }
  throw new AuthorizationServerError(`${issuer} has metadata under none of ${metadataUrls(issuer).join(', ')}`);
}

async function readObject(response: Response): Promise<JsonObject | undefined> {
  try {
    const document: unknown = await response.json();
    return isJsonObject(document) ? document : undefined;
  } catch {
    return undefined;
  }
}

/** In the order in which they are tried. */
function metadataUrls(issuer: string): readonly string[] {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, '');
  return [
    ...new Set([
      `${origin}/.well-known/oauth-authorization-server${path}`,
      `${origin}/.well-known/openid-configuration${path}`,
      `${origin}${path}/.well-known/openid-configuration`,
    ]),
  ];
}

/** Answers the URL of an endpoint that the metadata must name. Throws AuthorizationServerError. */
export function endpointOf(server: AuthorizationServer, name: string): string {
  const url = server[name];
  try {
    return toSecureUrl(name, url as string);
  } catch (cause) {
    throw new AuthorizationServerError(`the metadata of ${server.issuer} names no usable ${name}`, { cause });
  }
}

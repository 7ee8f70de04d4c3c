import { isJsonObject, type JsonObject } from '@switchyard/protocol';

import type { HttpHead } from '../exchange/http-exchange.ts';
import type { CheckProof } from './dpop-proof.ts';
import type { ProtectedResource } from './protected-resource.ts';

/** A request with a token whose issuer was proved. */
export interface BondedRequest {
  readonly head: HttpHead;
  readonly scheme: 'bearer' | 'dpop';
  readonly token: string;
  readonly claims: JsonObject;
}

/**
 * Answers in words with hyphens why a token is not its sender's, or `undefined`. What begins with `proof-` is about
 * DPoP.
 */
export type CheckBond = (request: BondedRequest) => Promise<string | undefined>;

/**
 * Makes the check that a token which is bound to a key or to a certificate comes from their holder. A bond that cannot
 * be checked refuses the token: taking it without would undo the bond.
 *
 * Spec: RFC 7800 section 3.1, RFC 8705 section 3, RFC 9449 sections 6 and 7.
 */
export function createCheckBond(resource: ProtectedResource, checkProof: CheckProof): CheckBond {
  const { dpop, clientCertificate, endpointUrl } = resource;
  return async ({ head, scheme, token, claims }) => {
    const { cnf = {} } = claims;
    if (!isJsonObject(cnf)) return 'unknown-bond';
    const { jkt, 'x5t#S256': certificate, ...unknown } = cnf;
    if (Object.keys(unknown).length > 0) return 'unknown-bond';
    if (certificate !== undefined) {
      if (clientCertificate === undefined) return 'unknown-bond';
      if ((await clientCertificate(head)) !== certificate) return 'certificate-mismatch';
    }
    if (jkt === undefined) return scheme === 'dpop' || dpop === 'required' ? 'not-bound' : undefined;
    if (typeof jkt !== 'string' || dpop === 'off') return 'unknown-bond';
    if (scheme !== 'dpop') return 'proof-missing';
    return checkProof(head.header('dpop'), { method: head.method, url: endpointUrl, token, keyThumbprint: jkt });
  };
}

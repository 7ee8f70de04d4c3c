import type { ProtectedResource } from './protected-resource.ts';
import { toSecureUrl } from './secure-url.ts';

/**
 * Answers the issuer given, or the only one that the resource names.
 *
 * @throws TypeError when the resource names several and none is given, or it is no secure URL.
 */
export function toIssuer(resource: ProtectedResource, given: string | undefined): string {
  const [first, ...more] = resource.authorizationServers;
  if (given === undefined && (first === undefined || more.length > 0))
    throw new TypeError(
      'issuer is missing: the resource names several authorization servers, and one hook checks the tokens of one',
    );
  return toSecureUrl('issuer', given ?? (first as string));
}

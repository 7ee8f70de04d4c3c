import type { GovernedKind } from '../policy/governed.ts';
import { exposedNameHead, exposedServerName } from './exposed-name.ts';
import { isQualified, parseQualifiedUri } from './resource-address.ts';

/**
 * Answers whether a server could have what an exposed name or a URI says, as far as can be told without asking it: the
 * name of a tool or prompt begins with that of its server, a qualified URI names its server, and any other URI may be
 * anybody's. `server` is the configured name.
 */
export function mayOffer(server: string, kind: GovernedKind, subject: string): boolean {
  if (kind !== 'resource') return subject.startsWith(exposedNameHead(server));
  return !isQualified(subject) || parseQualifiedUri(subject)?.exposedServer === exposedServerName(server);
}

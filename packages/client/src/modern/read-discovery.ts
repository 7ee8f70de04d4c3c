import {
  describeMisfit,
  type Implementation,
  implementation,
  isJsonObject,
  type JsonObject,
  metaKeys,
  methods,
} from '@switchyard/protocol';
import type { PeerContext } from '../peer/peer-context.ts';
import { readAs } from '../peer/read-as.ts';
import { withoutNulls } from '../peer/without-nulls.ts';
import type { ServerFacts } from '../session/session.ts';
import { withUsableIcons } from '../icons/usable-icons.ts';
import { withSafeWebsite } from '../trust/safe-links.ts';
import { mutualRevision } from './modern-error.ts';
import { versionError } from './modern-session.ts';

/** What a probe's result says: the server's facts, or one clause on why it is no discovery. */
type DiscoveryReading = { readonly facts: ServerFacts } | { readonly problem: string };

/**
 * Reads the result of `server/discover`. A result of another shape is no discovery, as servers give that answer
 * anything. Throws a `ClientError` with code `version` when a discovery names no revision that this client speaks.
 *
 * Spec: server/discover (2026-07-28).
 */
export function readDiscovery(context: PeerContext, result: JsonObject): DiscoveryReading {
  const { resultType = 'complete' } = result;
  if (resultType !== 'complete') return { problem: 'result.resultType must be "complete"' };
  const reading = readAs(methods['server/discover'].result, withoutNulls(result));
  if ('misfit' in reading) return { problem: describeMisfit('result', reading.misfit) };
  const { supportedVersions, capabilities, instructions } = reading.value;
  const revision = mutualRevision(supportedVersions);
  if (revision === undefined) throw versionError(context, supportedVersions, undefined);
  return { facts: { revision, info: readServerInfo(context, result), capabilities, instructions } };
}

/** The name is optional and for display only, so a malformed one counts as none. */
function readServerInfo(context: PeerContext, result: JsonObject): Implementation | undefined {
  const meta = result['_meta'];
  const reading = readAs(implementation, isJsonObject(meta) ? meta[metaKeys.serverInfo] : undefined);
  return 'value' in reading
    ? withUsableIcons(context, 'the server', withSafeWebsite(context, reading.value))
    : undefined;
}

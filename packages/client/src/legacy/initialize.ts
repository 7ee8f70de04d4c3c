import {
  describeMisfit,
  isLegacyRevision,
  type JsonObject,
  type LegacyRevision,
  legacyRevisions,
  methods,
  modernRevisions,
} from '@switchyard/protocol';
import { excerpt } from '../peer/excerpt.ts';
import type { PeerContext } from '../peer/peer-context.ts';
import { readAs } from '../peer/read-as.ts';
import type { ClientFacts, ServerFacts } from '../session/session.ts';
import { withUsableIcons } from '../icons/usable-icons.ts';
import { withSafeWebsite } from '../trust/safe-links.ts';

/** Facts of a server that was met with `initialize`. */
export interface LegacyFacts extends ServerFacts {
  readonly revision: LegacyRevision;
}

/**
 * Answers the params of `initialize`: the newest legacy revision is asked for. Extensions are not declared, since no
 * legacy revision has any.
 *
 * Spec: 2025-11-25/basic/lifecycle; SEP-2663, backward compatibility.
 */
export function initializeParams({ info, capabilities: declared, announcesRoots }: ClientFacts): JsonObject {
  const { extensions: _, ...capabilities } = {
    ...declared,
    ...(declared.roots === undefined || announcesRoots !== true
      ? {}
      : { roots: { ...declared.roots, listChanged: true } }),
  };
  return { protocolVersion: legacyRevisions[0], capabilities, clientInfo: info };
}

/**
 * Reads the result of `initialize`. Throws a `ClientError`: `version` for a revision that this client does not speak,
 * which ends the connection, and `invalid-response` for a result of another shape.
 *
 * Spec: 2025-11-25/basic/lifecycle#version-negotiation.
 */
export function readInitializeResult(context: PeerContext, result: JsonObject): LegacyFacts {
  const version = result['protocolVersion'];
  if (!isLegacyRevision(version)) {
    const shown = excerpt(JSON.stringify(version) ?? 'nothing', 60);
    throw context.fail(
      'version',
      `it answered initialize with the protocol version ${shown}. This client speaks ${legacyRevisions.join(', ')} after ` +
        `initialize, and ${modernRevisions.join(', ')} without. Update one of the two.`,
    );
  }
  const reading = readAs(methods.initialize.result, result);
  if ('misfit' in reading) {
    const problem = describeMisfit('result', reading.misfit);
    throw context.fail('invalid-response', `its answer to initialize is invalid: ${problem}.`);
  }
  const { serverInfo, capabilities, instructions } = reading.value;
  return {
    revision: version,
    info: withUsableIcons(context, 'the server', withSafeWebsite(context, serverInfo)),
    capabilities,
    instructions,
  };
}

import {
  describeMisfit,
  type Implementation,
  isLegacyRevision,
  type JsonObject,
  type LegacyRevision,
  legacyRevisions,
  methods,
  modernRevisions,
  type ServerCapabilities,
} from '@switchyard/protocol';
import { excerpt } from '../excerpt.ts';
import type { PeerContext } from '../peer-context.ts';
import type { ClientFacts, ServerFacts } from '../session.ts';

/** Facts of a server that was met with `initialize`. */
export interface LegacyFacts extends ServerFacts {
  readonly revision: LegacyRevision;
}

/** Answers the params of `initialize`: the newest legacy revision is asked for. Spec: 2025-11-25/basic/lifecycle. */
export function initializeParams(client: ClientFacts): JsonObject {
  return { protocolVersion: legacyRevisions[0], capabilities: client.capabilities, clientInfo: client.info };
}

/**
 * Reads the result of `initialize`. Throws a `ClientError`: `version` for a revision that this client does not speak, which
 * ends the connection, and `invalid-response` for a result of another shape.
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
  const misfit = methods.initialize.result(result);
  if (misfit !== undefined) {
    throw context.fail('invalid-response', `its answer to initialize is invalid: ${describeMisfit('result', misfit)}.`);
  }
  return {
    revision: version,
    info: result['serverInfo'] as Implementation,
    capabilities: result['capabilities'] as ServerCapabilities,
    instructions: result['instructions'] as string | undefined,
  };
}

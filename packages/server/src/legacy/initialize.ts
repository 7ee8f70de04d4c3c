import {
  describeMisfit,
  type InitializeResult,
  isAtLeast,
  type LegacyRevision,
  legacyRevisions,
  methods,
  ProtocolError,
  type Request,
  type ServerCapabilities,
  stringifyJson,
} from '@switchyard/protocol';

import type { Endpoint } from '../dispatch/endpoint.ts';
import { errorText, type Reply } from '../dispatch/error-reply.ts';
import { type ClientFacts, toLegacyExtensions, toModernCapabilities, toModernInfo } from './client-facts.ts';
import { withoutNulls } from './legacy-request.ts';
import type { LegacyShared } from './legacy-shared.ts';

/**
 * Reads `initialize`: the revision that is asked for where it is offered, else the newest that is.
 *
 * Spec: 2025-11-25/basic/lifecycle#version-negotiation.
 *
 * @throws ProtocolError -32602 when the params are of another shape, or a session would have to keep too much of them.
 */
function readInitialize(
  request: Request,
  { offered, limits: { maxClientChars } }: Pick<LegacyShared, 'offered' | 'limits'>,
): ClientFacts {
  const params = withoutNulls(request.params ?? {});
  const misfit = methods.initialize.params(params);
  if (misfit !== undefined) throw new ProtocolError('invalidParams', describeMisfit('params', misfit));
  const asked = params['protocolVersion'];
  const [newest = legacyRevisions[0]] = offered;
  const revision = offered.find((known) => known === asked) ?? newest;
  const facts: ClientFacts = {
    revision,
    capabilities: toModernCapabilities(revision, params['capabilities']),
    info: toModernInfo(params['clientInfo']),
  };
  const { length } = stringifyJson(facts);
  if (length > maxClientChars) {
    throw new ProtocolError(
      'invalidParams',
      `What the client says of itself has ${length} characters as JSON; at most ${maxClientChars} are kept for a session`,
    );
  }
  return facts;
}

/**
 * Answers `initialize`: with its result once `open` has opened the session, or with the error for which there is none.
 * Spec: 2025-11-25/basic/lifecycle#initialization.
 */
export function answerInitialize(shared: LegacyShared, request: Request, open: (facts: ClientFacts) => void): Reply {
  const { endpoint, counts } = shared;
  let facts: ClientFacts;
  try {
    facts = readInitialize(request, shared);
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error;
    return { text: errorText(request.id, error), status: 200, error };
  }
  open(facts);
  counts?.add(facts.revision, facts.info?.name);
  const result = toInitializeResult(endpoint, facts.revision);
  return { text: stringifyJson({ jsonrpc: '2.0', id: request.id, result }), status: 200 };
}

/** Answers the result of `initialize`. Spec: 2025-11-25/schema#initializeresult. */
export function toInitializeResult(endpoint: Endpoint, revision: LegacyRevision): InitializeResult {
  const { info, instructions, capabilities } = endpoint;
  return {
    protocolVersion: revision,
    capabilities: toLegacyCapabilities(revision, capabilities),
    serverInfo: info,
    ...(instructions === undefined ? {} : { instructions }),
  };
}

function toLegacyCapabilities(
  revision: LegacyRevision,
  { extensions, completions, ...capabilities }: ServerCapabilities,
): ServerCapabilities {
  const others = toLegacyExtensions(extensions ?? {});
  return {
    ...capabilities,
    ...(completions === undefined || !isAtLeast(revision, '2025-03-26') ? {} : { completions }),
    ...(Object.keys(others).length === 0 ? {} : { extensions: others }),
  };
}

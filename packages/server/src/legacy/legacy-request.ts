import {
  isJsonObject,
  type JsonObject,
  latestRevision,
  type LoggingLevel,
  metaKeys,
  type Request,
} from '@switchyard/protocol';

import type { ClientFacts } from './client-facts.ts';

/** Answers a copy without the members that are `null`: no params of a legacy revision have one that may be. */
export function withoutNulls(params: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(params).filter(([, value]) => value !== null));
}

/**
 * Answers a request of an old client as one of this revision: what it said of itself at `initialize`, and with
 * `logging/setLevel`, stands in the metadata of each request. What a legacy revision has no meaning for is left out:
 * answers to input, and the `task` of 2025-11-25, which is served as a call without one.
 */
export function toModernRequest(request: Request, facts: ClientFacts, logLevel: LoggingLevel): Request {
  const {
    _meta,
    inputResponses: _answers,
    requestState: _state,
    task: _task,
    ...params
  } = withoutNulls(request.params ?? {});
  return {
    jsonrpc: '2.0',
    id: request.id,
    method: request.method,
    params: {
      ...params,
      _meta: {
        ...(isJsonObject(_meta) ? withoutNulls(_meta) : {}),
        [metaKeys.protocolVersion]: latestRevision,
        [metaKeys.clientCapabilities]: facts.capabilities,
        ...(facts.info === undefined ? {} : { [metaKeys.clientInfo]: facts.info }),
        [metaKeys.logLevel]: logLevel,
      },
    },
  };
}

import {
  type CallToolResult,
  type GetPromptResult,
  isAtLeast,
  isJsonObject,
  type JsonObject,
  type LegacyRevision,
  type Result,
  stringifyJson,
} from '@switchyard/protocol';

import type { Envelope } from '../dispatch/envelope.ts';
import { Serialised } from '../dispatch/endpoint.ts';
import { toLegacyContent } from './legacy-content.ts';

/**
 * Makes the envelope of a legacy revision. Members that it does not know are tolerated and stay; what it knows
 * otherwise is translated: a structured result must be an object, an output schema must describe one, and kinds of
 * content that came later are replaced.
 *
 * Spec: 2025-11-25/server/tools#structured-content, 2025-11-25/schema#tool.
 */
export function createLegacyEnvelope(revision: LegacyRevision): Envelope {
  const pages = new WeakMap<Serialised, string>();

  function listing(page: Serialised): string {
    let json = pages.get(page);
    if (json === undefined) {
      json = stringifyJson(toLegacyTools(JSON.parse(page.json) as JsonObject));
      pages.set(page, json);
    }
    return json;
  }

  function render(method: string, result: Result | Serialised): string {
    if (result instanceof Serialised) return method === 'tools/list' ? listing(result) : result.json;
    const { resultType = 'complete', ...rest } = result;
    if (resultType !== 'complete')
      throw new TypeError(
        `a result of the type ${resultType} has no form at ${revision}: ask by the context of the request`,
      );
    return stringifyJson(toLegacyResult(revision, method, rest));
  }

  return ({ id, method }, result) => `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${render(method, result)}}`;
}

function toLegacyResult(revision: LegacyRevision, method: string, result: JsonObject): JsonObject {
  switch (method) {
    case 'tools/call':
      return toLegacyCall(revision, result as CallToolResult);
    case 'tools/list':
      return toLegacyTools(result);
    case 'prompts/get':
      return toLegacyPrompt(revision, result as GetPromptResult);
    default:
      return result;
  }
}

function toLegacyCall(revision: LegacyRevision, { structuredContent, content, ...rest }: CallToolResult): JsonObject {
  const isStructured = structuredContent !== undefined;
  // Of what has no structured form here, or is lost on a client that reads text alone, the text is all that arrives.
  const needsText =
    isStructured && content.length === 0 && !(isJsonObject(structuredContent) && isAtLeast(revision, '2025-06-18'));
  return {
    ...rest,
    content: needsText
      ? [{ type: 'text', text: stringifyJson(structuredContent) }]
      : content.map((block) => toLegacyContent(revision, block)),
    ...(isJsonObject(structuredContent) ? { structuredContent } : {}),
  };
}

function toLegacyPrompt(revision: LegacyRevision, result: GetPromptResult): JsonObject {
  const messages = result.messages.map((message) => ({
    ...message,
    content: toLegacyContent(revision, message.content),
  }));
  return { ...result, messages };
}

function toLegacyTools(result: JsonObject): JsonObject {
  const { tools } = result;
  return Array.isArray(tools) ? { ...result, tools: tools.map(withObjectOutput) } : result;
}

/** Without the schema, a client takes the text. */
function withObjectOutput(tool: unknown): unknown {
  if (!isJsonObject(tool)) return tool;
  const { outputSchema, ...rest } = tool;
  if (outputSchema === undefined) return tool;
  return isJsonObject(outputSchema) && outputSchema['type'] === 'object' ? tool : rest;
}

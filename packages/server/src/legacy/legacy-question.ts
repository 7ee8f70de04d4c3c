import {
  type CreateMessageParams,
  type ElicitFormParams,
  type InputRequest,
  isAtLeast,
  isJsonObject,
  type JsonObject,
  type LegacyRevision,
} from '@switchyard/protocol';

import { InputError } from '../handler/input-error.ts';
import { withoutNulls } from './legacy-request.ts';

/**
 * Answers a request for input as a request of the server at a legacy revision. Spec: 2025-11-25/client/elicitation,
 * 2025-11-25/client/sampling.
 *
 * @throws InputError `question` when the revision cannot say it.
 */
export function toLegacyQuestion(
  { method, params = {} }: InputRequest,
  revision: LegacyRevision,
  createId: () => string,
): { readonly method: string; readonly params?: JsonObject } {
  if (method === 'roots/list') return { method };
  const isNewest = isAtLeast(revision, '2025-11-25');
  if (method === 'sampling/createMessage')
    return { method, params: isNewest ? params : splitMessages(params as object as CreateMessageParams) };
  if (params['mode'] === 'url') return { method, params: { ...params, elicitationId: createId() } };
  return { method, params: isNewest ? params : plainForm(params as object as ElicitFormParams, revision) };
}

/** Before 2025-11-25 a message holds one block. */
function splitMessages(params: CreateMessageParams): JsonObject {
  const messages = params.messages.flatMap(({ content, ...message }) =>
    Array.isArray(content)
      ? content.map((block: unknown) => ({ ...message, content: block }))
      : [{ ...message, content }],
  );
  return { ...params, messages };
}

/** 2025-06-18 knows neither modes, nor titled choices but by `enumNames`, nor lists of choices. */
function plainForm({ message, requestedSchema }: ElicitFormParams, revision: LegacyRevision): JsonObject {
  const properties = Object.entries(requestedSchema.properties).map(([name, member]) => [
    name,
    plainMember(name, member, revision),
  ]);
  return { message, requestedSchema: { ...requestedSchema, properties: Object.fromEntries(properties) as JsonObject } };
}

function plainMember(name: string, member: JsonObject, revision: LegacyRevision): JsonObject {
  if (member['type'] === 'array') {
    throw new InputError(
      'question',
      `the form member "${name}" is a list of choices, which a client of ${revision} cannot show: ask it for one choice at a time`,
    );
  }
  const { oneOf, ...rest } = member;
  if (!Array.isArray(oneOf)) return member;
  const options = oneOf.filter(isJsonObject);
  return {
    ...rest,
    enum: options.map((option) => option['const']),
    enumNames: options.map((option) => option['title']),
  };
}

/**
 * Answers what a client said, without what some put there and no revision has: `null`, and content of a form that was
 * not accepted.
 */
export function toModernAnswer(method: string, result: JsonObject): JsonObject {
  const { content, ...rest } = withoutNulls(result);
  if (content === undefined || (method === 'elicitation/create' && rest['action'] !== 'accept')) return rest;
  return { ...rest, content };
}

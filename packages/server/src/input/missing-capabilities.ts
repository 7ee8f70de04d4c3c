import { type ClientCapabilities, type JsonObject, ProtocolError } from '@switchyard/protocol';

import type { Question } from '../handler/question.ts';

/**
 * Answers the error for a client that did not declare what questions need, with all of it in one object. Spec:
 * basic/patterns/mrtr#server-requirements (2026-07-28).
 */
export function missingCapabilities(
  questions: Iterable<Question<unknown>>,
  declared: ClientCapabilities,
): ProtocolError | undefined {
  const lacking: Record<string, JsonObject> = {};
  for (const question of questions) {
    for (const [capability, parts] of Object.entries(question.lacks(declared) ?? {}))
      lacking[capability] = { ...lacking[capability], ...parts };
  }
  const names = Object.keys(lacking);
  if (names.length === 0) return undefined;
  return new ProtocolError(
    'missingRequiredClientCapability',
    `The request needs a client that declares: ${names.join(', ')}`,
    { data: { requiredCapabilities: lacking } },
  );
}

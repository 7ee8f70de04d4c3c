import type { ClientCapabilities, JsonObject, ProtocolError } from '@switchyard/protocol';

import { missingCapabilities } from '../dispatch/missing-capabilities.ts';
import type { Question } from '../handler/question.ts';

/**
 * Answers the error for a client that did not declare what questions need, with all of it in one object. Spec:
 * basic/patterns/mrtr#server-requirements (2026-07-28).
 */
export function unaskable(
  questions: Iterable<Question<unknown>>,
  declared: ClientCapabilities,
): ProtocolError | undefined {
  const lacking: Record<string, JsonObject> = {};
  for (const question of questions) {
    for (const [capability, parts] of Object.entries(question.lacks(declared) ?? {}))
      lacking[capability] = { ...lacking[capability], ...parts };
  }
  return Object.keys(lacking).length === 0 ? undefined : missingCapabilities(lacking);
}

import {
  type ClientCapabilities,
  createMessageParams,
  type CreateMessageParams,
  type CreateMessageResult,
  describeMisfit,
  type SamplingContent,
  type SamplingMessage,
} from '@switchyard/protocol';

import { InputError } from './input-error.ts';
import type { Question } from './question.ts';

/**
 * A question for the client's model.
 *
 * Spec: client/sampling (2026-07-28).
 *
 * @throws InputError `question` when the params break a rule of the protocol; the message names it.
 */
export function samplingQuestion(params: CreateMessageParams): Question<CreateMessageResult> {
  const misfit = createMessageParams(params);
  if (misfit !== undefined) throw new InputError('question', describeMisfit('the sampling request', misfit));
  assertToolMessages(params.messages);
  return {
    request: { method: 'sampling/createMessage', params: { ...params } },
    lacks: ({ sampling }) => lacking(params, sampling),
    read: (answer) => ({ value: answer }),
  };
}

function lacking(
  { tools, toolChoice, includeContext = 'none' }: CreateMessageParams,
  sampling: ClientCapabilities['sampling'],
): ClientCapabilities | undefined {
  const wanted = {
    ...(tools === undefined && toolChoice === undefined ? {} : { tools: {} }),
    ...(includeContext === 'none' ? {} : { context: {} }),
  };
  const has = (key: string): boolean => sampling?.[key as keyof typeof sampling] !== undefined;
  return sampling !== undefined && Object.keys(wanted).every(has) ? undefined : { sampling: wanted };
}

/**
 * Answers of tools stand alone in one user message, right after the assistant message that asked for exactly them.
 * Spec: client/sampling#message-content-constraints (2026-07-28).
 */
function assertToolMessages(messages: readonly SamplingMessage[]): void {
  let open: readonly string[] = [];
  for (const [index, message] of messages.entries()) {
    const blocks = blocksOf(message);
    const answered = blocks.flatMap((block) => (block.type === 'tool_result' ? [block.toolUseId] : []));
    if (answered.length > 0 && (message.role !== 'user' || answered.length < blocks.length))
      throw broken(index, 'tool results stand alone in a message of the user');
    if (open.length !== answered.length || !open.every((id) => answered.includes(id)))
      throw broken(index, 'each tool use is answered by one tool result in the very next message, and no other is');
    const uses = blocks.flatMap((block) => (block.type === 'tool_use' ? [block.id] : []));
    if (uses.length > 0 && message.role !== 'assistant') throw broken(index, 'only the assistant uses tools');
    if (new Set(uses).size < uses.length) throw broken(index, 'the ids of tool uses are unique');
    open = uses;
  }
  if (open.length > 0) throw broken(messages.length, 'the last tool uses are not answered');
}

function blocksOf({ content }: SamplingMessage): readonly SamplingContent[] {
  return Array.isArray(content) ? (content as readonly SamplingContent[]) : [content as SamplingContent];
}

function broken(index: number, rule: string): InputError {
  return new InputError('question', `the sampling request breaks a rule at messages[${index}]: ${rule}`);
}

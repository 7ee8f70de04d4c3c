import {
  type ClientCapabilities,
  type CreateMessageParams,
  type CreateMessageResult,
  isAtLeast,
  isLegacyRevision,
  type LegacyRevision,
  type Revision,
  type SamplingContent,
  type SamplingMessage,
  type ToolResultContent,
  type ToolUseContent,
} from '@switchyard/protocol';
import { quoted } from '../peer/excerpt.ts';

/** The types of the blocks that an answer may have, each with the first revision that has it. */
const firstRevisions: ReadonlyMap<string, LegacyRevision> = new Map([
  ['text', '2024-11-05'],
  ['image', '2024-11-05'],
  ['audio', '2025-03-26'],
  ['tool_use', '2025-11-25'],
]);

/** The first revision in which content may be a list. */
const FIRST_WITH_LISTS = '2025-11-25';

/** No tokenizer has longer ones, so that what has more characters has more tokens. */
const MAX_CHARS_PER_TOKEN = 128;

/**
 * Answers what is wrong with a question to a model, in one sentence, or `undefined`: tools that were not declared,
 * results of tools that do not stand alone or do not follow their calls.
 *
 * Spec: client/sampling#message-content-constraints (2026-07-28).
 */
export function whyUnaskable(
  { messages, maxTokens, tools, toolChoice }: CreateMessageParams,
  capabilities: ClientCapabilities,
): string | undefined {
  if (maxTokens < 1) return 'its maxTokens is below 1';
  if ((tools !== undefined || toolChoice !== undefined) && capabilities.sampling?.tools === undefined) {
    return 'it has tools, and this client does not declare sampling.tools';
  }
  if (toolChoice?.mode === 'required' && (tools ?? []).length === 0)
    return 'it requires the use of a tool and has none';
  return whyDisordered(messages);
}

function whyDisordered(messages: readonly SamplingMessage[]): string | undefined {
  let due = new Set<string>();
  for (const { role, content } of messages) {
    const blocks = blocksOf(content);
    const results = blocks.filter((block): block is ToolResultContent => block.type === 'tool_result');
    if (results.length > 0 && (role !== 'user' || results.length < blocks.length)) {
      return 'one of its messages has results of tools beside other content';
    }
    for (const { toolUseId } of results) {
      if (!due.delete(toolUseId)) return 'one of its results of tools belongs to no call right before it';
    }
    if (due.size > 0) return 'one of its calls of tools has no result right after it';
    due = new Set(toolUsesIn(blocks).map(({ id }) => id));
  }
  return due.size > 0 ? 'one of its calls of tools has no result right after it' : undefined;
}

/**
 * Answers what an answer of a model breaks of the question, in one sentence that begins with what it must, or
 * `undefined`. Tokens cannot be counted here: what is refused has more characters than any tokens could have.
 *
 * Spec: client/sampling#tool-choice-modes (2026-07-28).
 */
export function whyNoAnswer(
  { maxTokens, tools, toolChoice }: CreateMessageParams,
  { content }: CreateMessageResult,
): string | undefined {
  const blocks = blocksOf(content);
  const uses = toolUsesIn(blocks);
  if (toolChoice?.mode === 'required' && uses.length === 0) return 'must use a tool, as toolChoice is "required"';
  if (uses.length > 0 && (toolChoice?.mode === 'none' || (tools ?? []).length === 0)) {
    return 'must not use a tool, as none was offered or toolChoice is "none"';
  }
  const names = new Set(tools?.map((tool) => tool['name']));
  if (uses.some(({ name }) => !names.has(name))) return 'must not use a tool that was not offered';
  if (blocks.some(({ type }) => type === 'tool_result')) return 'must not hold results of tools';
  let length = 0;
  for (const block of blocks) if (block.type === 'text') length += block.text.length;
  return length > maxTokens * MAX_CHARS_PER_TOKEN
    ? `must not have more than maxTokens (${maxTokens}) tokens`
    : undefined;
}

/**
 * Answers the content of an answer as a revision has it, one block without a list around it before 2025-11-25; or what
 * the answer must be where the revision cannot carry it, as the end of a sentence.
 *
 * Spec: schema#createmessageresult (2024-11-05, 2025-03-26, 2025-06-18, 2025-11-25, 2026-07-28).
 */
export function contentAt(
  revision: Revision,
  { content }: CreateMessageResult,
): { readonly content: CreateMessageResult['content'] } | { readonly problem: string } {
  const has = (first: LegacyRevision): boolean => !isLegacyRevision(revision) || isAtLeast(revision, first);
  const blocks = blocksOf(content);
  const stranger = blocks.find(({ type }) => {
    const first = firstRevisions.get(type);
    return first === undefined || !has(first);
  });
  if (stranger !== undefined)
    return {
      problem: `must not have content of the type ${quoted(stranger.type)}, which revision ${revision} has not`,
    };
  if (has(FIRST_WITH_LISTS)) return { content };
  const [block, ...others] = blocks;
  return block === undefined || others.length > 0
    ? { problem: `must have one block of content, not ${blocks.length}: revision ${revision} carries no list of them` }
    : { content: block };
}

function blocksOf(content: SamplingMessage['content']): readonly SamplingContent[] {
  return Array.isArray(content) ? (content as readonly SamplingContent[]) : [content as SamplingContent];
}

function toolUsesIn(blocks: readonly SamplingContent[]): readonly ToolUseContent[] {
  return blocks.filter((block): block is ToolUseContent => block.type === 'tool_use');
}

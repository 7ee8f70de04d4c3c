import type { CallToolResult, GetPromptResult } from '@switchyard/protocol';
import { cleanLine } from '../terminal.ts';
import { cleanLines, showContent, showJson } from './show-content.ts';

/**
 * Answers a tool result as text for a person: its content, and its structured form where no text block says the same. A
 * result with neither says so.
 */
export function showToolResult(result: CallToolResult): string {
  const { content } = result;
  const hasStructure = Object.hasOwn(result, 'structuredContent');
  const parts = content.length === 0 ? [] : [showContent(content)];
  if (hasStructure && !content.some(({ type }) => type === 'text')) parts.push(showJson(result.structuredContent));
  return parts.length === 0 ? '(the result is empty)' : parts.join('\n');
}

/** Answers a rendered prompt as text for a person: each message after the role that it is of. */
export function showPrompt({ description, messages }: GetPromptResult): string {
  const head = description === undefined ? [] : [`# ${cleanLine(description)}`];
  const shown = messages.map(({ role, content }) => {
    const blocks = Array.isArray(content) ? content : [content];
    return `${role}:\n${cleanLines(showContent(blocks))}`;
  });
  return [...head, ...shown].join('\n\n');
}

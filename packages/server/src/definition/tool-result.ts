import { type CallToolResult, isJsonObject, present, stringifyJson } from '@switchyard/protocol';

import { assertResult } from './assert-result.ts';
import { sendableText } from './sendable-text.ts';
import type { CompiledValueSchema } from '../schema/value-schema.ts';

/** Answers the result that a caller reads as a failure of the tool. */
export function errorResult(message: string, data?: unknown): CallToolResult {
  return { content: [{ type: 'text', text: message }], ...present({ structuredContent: data }), isError: true };
}

/**
 * Turns what a handler returned into a result: a string into text, a full result into itself, any other JSON value into
 * structured content and the same value as text. Only a full result can break the protocol, and is checked.
 *
 * @throws (or rejects) when the result breaks the output schema or the protocol, or JSON cannot hold it.
 */
export function toCallToolResult(
  returned: unknown,
  output: CompiledValueSchema | undefined,
): CallToolResult | Promise<CallToolResult> {
  if (isFullResult(returned)) return checkedFullResult(returned, output);
  if (output === undefined) {
    if (returned === undefined) return { content: [] };
    return typeof returned === 'string'
      ? { content: [{ type: 'text', text: sendableText(returned) }] }
      : structured(returned);
  }
  return conforming(returned, output).then(structured);
}

async function checkedFullResult(
  returned: CallToolResult,
  output: CompiledValueSchema | undefined,
): Promise<CallToolResult> {
  const result = await completeFullResult(returned, output);
  assertResult('tools/call', result);
  return result;
}

async function completeFullResult(
  result: CallToolResult,
  output: CompiledValueSchema | undefined,
): Promise<CallToolResult> {
  const { structuredContent } = result;
  if (result.isError === true || (output === undefined && structuredContent === undefined)) {
    return result.content === undefined ? { ...result, content: [] } : result;
  }
  const value = output === undefined ? structuredContent : await conforming(structuredContent, output);
  return { ...result, content: result.content ?? structured(value).content, structuredContent: value };
}

async function conforming(value: unknown, output: CompiledValueSchema): Promise<unknown> {
  const checked = await output.check(value);
  if ('value' in checked) return checked.value;
  throw new Error(`the handler returned a result that breaks the tool's output schema: ${checked.problem}`);
}

function structured(value: unknown): CallToolResult {
  const text: string | undefined = stringifyJson(value);
  if (text === undefined) throw new TypeError(`the handler returned a ${typeof value}, which JSON cannot hold`);
  if (text === '{}' && !isPlain(value))
    throw new TypeError(`the handler returned ${Object.prototype.toString.call(value)}, of which JSON keeps nothing`, {
      cause: value,
    });
  return { content: [{ type: 'text', text: sendableText(text) }], structuredContent: value };
}

/** Whether an object without members is meant to have none: a `Map`, a `Set` or an `Error` has something to say. */
function isPlain(value: unknown): boolean {
  return Object.prototype.toString.call(value) === '[object Object]';
}

function isFullResult(value: unknown): value is CallToolResult {
  return (
    isJsonObject(value) &&
    (Array.isArray(value['content']) || Object.hasOwn(value, 'structuredContent') || Object.hasOwn(value, 'resultType'))
  );
}

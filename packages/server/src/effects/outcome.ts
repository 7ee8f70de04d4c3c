import { clip, isJsonObject, type JsonObject, ProtocolError } from '@switchyard/protocol';

import { InputError, type InputErrorCode } from '../handler/input-error.ts';
import { ToolError } from '../handler/tool-error.ts';
import { toJsonCopy } from './json-copy.ts';

/** How a piece of work ended, as JSON keeps it: its value (absent for `undefined`), or what it threw. */
export type Outcome = { readonly value?: unknown } | { readonly error: ThrownRecord };

/** What is kept of something thrown, so that it can be thrown again in another process. */
export interface ThrownRecord {
  readonly kind: 'tool' | 'protocol' | 'input' | 'error';
  readonly message: string;
  readonly name?: string;
  readonly code?: number | InputErrorCode;
  readonly status?: number;
  readonly data?: unknown;
}

/**
 * Runs work and answers its outcome; `what` names it in errors. A value that JSON cannot hold, or of more than
 * `maxBytes`, is an outcome, too: it fails the same way each time.
 */
export async function outcomeOf(
  what: string,
  work: () => unknown,
  maxBytes: number,
): Promise<{ readonly outcome: Outcome; readonly cause?: unknown }> {
  try {
    const text = toJsonCopy(what, await work(), maxBytes);
    return { outcome: text === undefined ? {} : { value: JSON.parse(text) as unknown } };
  } catch (thrown) {
    return { outcome: { error: recordThrown(thrown, maxBytes) }, cause: thrown };
  }
}

/** Answers the value of an outcome, or throws again what was thrown; `cause` is what it was in this process. */
export function replayOutcome(outcome: Outcome, cause?: unknown): unknown {
  if (!('error' in outcome)) return outcome.value === undefined ? undefined : structuredClone(outcome.value);
  const { kind, message, name, code, status, data } = outcome.error;
  if (kind === 'tool') throw withCause(new ToolError(message, data), cause);
  if (kind === 'input') throw new InputError(code as InputErrorCode, message, { cause });
  if (kind === 'protocol') {
    throw new ProtocolError((code as number | undefined) ?? 'internalError', message, {
      data,
      cause,
      ...(status === undefined ? {} : { status }),
    });
  }
  throw Object.assign(new Error(message, cause === undefined ? undefined : { cause }), { name: name ?? 'Error' });
}

/** Answers whether a JSON value is an outcome. */
export function isOutcome(value: unknown): value is Outcome {
  if (!isJsonObject(value)) return false;
  return (
    !Object.hasOwn(value, 'error') || (isJsonObject(value['error']) && typeof value['error']['message'] === 'string')
  );
}

const MAX_MESSAGE_CHARS = 2_000;

function recordThrown(thrown: unknown, maxBytes: number): ThrownRecord {
  if (!(thrown instanceof Error)) return { kind: 'error', message: clip(textOf(thrown), MAX_MESSAGE_CHARS) };
  // An error of the author's own may have anything there.
  const [message, name] = [textOf(thrown.message), textOf(thrown.name)];
  if (thrown instanceof ToolError)
    return { kind: 'tool', message: clip(message, MAX_MESSAGE_CHARS), ...dataOf(thrown, maxBytes) };
  if (thrown instanceof ProtocolError) {
    const { code, status } = thrown;
    return { kind: 'protocol', message: clip(message, MAX_MESSAGE_CHARS), code, status, ...dataOf(thrown, maxBytes) };
  }
  if (thrown instanceof InputError)
    return { kind: 'input', message: clip(message, MAX_MESSAGE_CHARS), code: thrown.code };
  return { kind: 'error', message: clip(message, MAX_MESSAGE_CHARS), name };
}

/** What JSON cannot hold of the data is left out: the error itself counts. */
function dataOf({ data }: { readonly data: unknown }, maxBytes: number): JsonObject {
  try {
    const text = toJsonCopy('the data of an error', data, maxBytes);
    return text === undefined ? {} : { data: JSON.parse(text) as unknown };
  } catch {
    return {};
  }
}

function textOf(value: unknown): string {
  try {
    return String(value);
  } catch {
    return 'something without a text';
  }
}

function withCause<E extends Error>(error: E, cause: unknown): E {
  if (cause !== undefined) error.cause = cause;
  return error;
}

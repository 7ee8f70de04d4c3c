import { encodePointer } from '../json-pointer.ts';
import { SchemaError } from './schema-error.ts';

interface Frame {
  readonly value: unknown;
  readonly depth: number;
  readonly key: string | number;
  readonly parent: Frame | undefined;
}

/** Size of a JSON document: UTF-8 bytes of its text without spaces, and how deep it is nested (a scalar is 0). */
export interface JsonSize {
  readonly bytes: number;
  readonly depth: number;
}

/**
 * Measures a document without recursion and gives up as soon as a limit is passed, so that neither depth nor size nor a
 * cycle costs more than the limits. A member that is `undefined` counts as absent.
 *
 * Throws a `SchemaError` with the codes `too-large`, `too-deep` and, for what JSON cannot hold, `invalid`.
 */
export function measureJson(root: unknown, maxBytes: number, maxDepth: number): JsonSize {
  const pending: Frame[] = [{ value: root, depth: 0, key: '', parent: undefined }];
  let bytes = 0;
  let depth = 0;
  const count = (more: number): void => {
    bytes += more;
    if (bytes > maxBytes) {
      throw new SchemaError('too-large', '', `it is larger than ${maxBytes} bytes; expected a smaller schema`);
    }
  };
  for (let frame = pending.pop(); frame !== undefined; frame = pending.pop()) {
    const { value } = frame;
    if (typeof value !== 'object' || value === null) {
      count(scalarBytes(frame, maxBytes));
      continue;
    }
    depth = Math.max(depth, frame.depth + 1);
    if (depth > maxDepth) {
      throw new SchemaError('too-deep', pointerTo(frame), `its JSON is nested deeper than ${maxDepth} levels`);
    }
    if (Array.isArray(value)) {
      count(2 + Math.max(0, value.length - 1));
      for (const [key, item] of value.entries()) {
        pending.push({ value: item, depth: frame.depth + 1, key, parent: frame });
      }
      continue;
    }
    count(2);
    let separator = 0;
    for (const [key, member] of Object.entries(value)) {
      if (member === undefined) continue;
      count(separator + textBytes(key, maxBytes) + 1);
      separator = 1;
      pending.push({ value: member, depth: frame.depth + 1, key, parent: frame });
    }
  }
  return { bytes, depth };
}

function scalarBytes(frame: Frame, maxBytes: number): number {
  const { value } = frame;
  if (typeof value === 'string') return textBytes(value, maxBytes);
  if (typeof value === 'number' || typeof value === 'boolean' || value === null) return String(value).length;
  throw new SchemaError('invalid', pointerTo(frame), `it holds a value of type ${typeof value}; expected JSON`);
}

function textBytes(text: string, maxBytes: number): number {
  if (text.length > maxBytes) return text.length;
  let bytes = 2;
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    if (code >= 0x10000) bytes += 4;
    else if (code >= 0xd800 && code <= 0xdfff) bytes += 6;
    else if (code >= 0x800) bytes += 3;
    else if (code >= 0x80 || character === '"' || character === '\\') bytes += 2;
    else if (code < 0x20) bytes += /[\b\t\n\f\r]/.test(character) ? 2 : 6;
    else bytes += 1;
  }
  return bytes;
}

function pointerTo(frame: Frame): string {
  const tokens: (string | number)[] = [];
  for (let at: Frame = frame; at.parent !== undefined; at = at.parent) tokens.push(at.key);
  return encodePointer(tokens.reverse());
}

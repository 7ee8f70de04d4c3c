import { isDeepStrictEqual } from 'node:util';
import { type ContentBlock, parseJson, stringifyJson } from '@switchyard/protocol';
import { canonicalJson } from '../json/canonical-json.ts';
import { isContainer, membersOf } from '../json/json-container.ts';
import { isDeeperThan, MAX_JSON_DEPTH } from '../json/json-depth.ts';

const MAX_CHARS_IN_PARTS = 256 * 1024;

/**
 * Answers whether the text of a result says something else than its structured form: the index of the first text block
 * that does, or `undefined`.
 *
 * Free text agrees with everything. A text that is a JSON object or array must equal the structured form or a part of
 * it: a member of it, or an item of it or of one of its members, which is how servers send a file's text or one block
 * for each item; a structured form of more than 256 Ki characters is only compared whole and with its text members,
 * because looking at every part takes long. Of a structured form that is neither object nor array, a text that is any
 * JSON value must equal it. `exactIntegers` says how the structured form was read.
 *
 * Spec: server/tools#structured-content (2026-07-28).
 */
export function findDisagreement(
  content: readonly ContentBlock[],
  structured: unknown,
  { exactIntegers }: { readonly exactIntegers: boolean },
): number | undefined {
  let written: string | undefined;
  let parts: ReadonlySet<string> | undefined;
  for (const [index, block] of content.entries()) {
    if (block.type !== 'text' || !mayBeSerialised(block.text, structured)) continue;
    written ??= stringifyJson(structured);
    if (block.text === written) continue;
    let said: unknown;
    try {
      said = parseJson(block.text, { exactIntegers });
    } catch {
      // Not JSON: free text.
      continue;
    }
    if (isDeeperThan(said, MAX_JSON_DEPTH)) return index;
    if (isDeepStrictEqual(said, structured) || membersOf(structured).includes(block.text)) continue;
    if (block.text === structured) continue;
    if (written.length > MAX_CHARS_IN_PARTS) return index;
    parts ??= partsOf(structured);
    if (!parts.has(comparable(said)) && !parts.has(comparable(block.text))) return index;
  }
  return undefined;
}

function mayBeSerialised(text: string, structured: unknown): boolean {
  const start = text.trimStart()[0];
  return start === '{' || start === '[' || !isContainer(structured);
}

/** The members of the structured form, its items and its members' items, each in a comparable form. */
function partsOf(structured: unknown): ReadonlySet<string> {
  const parts = new Set<string>();
  for (const member of membersOf(structured)) {
    parts.add(comparable(member));
    if (Array.isArray(member)) for (const item of membersOf(member)) parts.add(comparable(item));
  }
  return parts;
}

/** A text that two JSON values share when they are equal. */
function comparable(value: unknown): string {
  try {
    return canonicalJson(value);
  } catch {
    // A lone surrogate has no canonical form. Such a value equals only itself as it is written.
    return `written:${JSON.stringify(value, (_key, member: unknown) => (typeof member === 'bigint' ? `${member}` : member))}`;
  }
}

import { cleanText } from '@switchyard/guards';
import { type ContentBlock, isJsonObject, type ResourceContents, stringifyJson } from '@switchyard/protocol';
import { cleanLine } from '../terminal.ts';

const MAX_TEXT_CHARS = 16 * 1024 * 1024;
const MAX_NAME_CHARS = 200;

/**
 * Answers content blocks as text for a person: texts as they are, without control sequences, everything else by what it
 * is, so that nothing disappears: `1 image/png, 8 bytes`, a link by its URI, a block of an unknown type by that type.
 */
export function showContent(blocks: readonly ContentBlock[]): string {
  return blocks.map(showBlock).join('\n');
}

/** Answers a text of several lines that is safe to show. */
export function cleanLines(text: string): string {
  return cleanText(text, { maxChars: MAX_TEXT_CHARS, keepNewlines: true, keepTabs: true });
}

/** Answers a JSON value as text for a person, with all digits of its integers. */
export function showJson(value: unknown): string {
  const exact = stringifyJson(value);
  try {
    return cleanLines(JSON.stringify(value, undefined, 2));
  } catch {
    // It holds a bigint, which only the exact form can write.
    return cleanLines(exact);
  }
}

/** Answers the contents of a resource as text for a person. */
export function showResourceContents(contents: readonly ResourceContents[]): string {
  return contents.map(showResource).join('\n');
}

function showBlock(block: ContentBlock): string {
  switch (block.type) {
    case 'text':
      return cleanLines(block.text);
    case 'image':
    case 'audio':
      return `[1 ${cleanLine(block.mimeType, MAX_NAME_CHARS)}, ${bytesOf(block.data)} bytes]`;
    case 'resource_link':
      return `[link ${cleanLine(block.name, MAX_NAME_CHARS)}: ${cleanLine(block.uri)}]`;
    case 'resource':
      return showResource(block.resource);
    default:
      return showUnknown(block);
  }
}

function showResource(contents: ResourceContents): string {
  const uri = cleanLine(contents.uri);
  if ('text' in contents) return cleanLines(contents.text);
  return `[1 ${cleanLine(contents.mimeType ?? 'binary resource', MAX_NAME_CHARS)}, ${bytesOf(contents.blob)} bytes: ${uri}]`;
}

/** A block of a type that this revision does not know. */
function showUnknown(block: unknown): string {
  const type = isJsonObject(block) && typeof block['type'] === 'string' ? block['type'] : 'unknown';
  return `[1 content block of the unknown type ${JSON.stringify(cleanLine(type, MAX_NAME_CHARS))}; --json shows it]`;
}

/** The size of what Base64 text holds. */
function bytesOf(base64: string): number {
  return Buffer.byteLength(base64, 'base64');
}

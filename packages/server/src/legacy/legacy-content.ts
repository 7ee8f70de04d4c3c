import { type ContentBlock, isAtLeast, type LegacyRevision } from '@switchyard/protocol';

/** The revision that brought a kind of content; a kind that is not listed is as old as the protocol. */
const since: { readonly [type: string]: LegacyRevision } = { audio: '2025-03-26', resource_link: '2025-06-18' };

/**
 * Answers a block as a client of a revision can read it: one that refuses kinds it does not know would lose the whole
 * result. A sound is embedded as a resource, a link becomes text.
 */
export function toLegacyContent(revision: LegacyRevision, block: ContentBlock): ContentBlock {
  const brought = since[block.type];
  if (brought === undefined || isAtLeast(revision, brought)) return block;
  if (block.type === 'audio') {
    const { data, mimeType } = block;
    return { type: 'resource', resource: { uri: 'urn:switchyard:audio', mimeType, blob: data } };
  }
  if (block.type === 'resource_link') {
    const { uri, name, title = name, description, mimeType } = block;
    const about = [title, mimeType === undefined ? '' : ` (${mimeType})`, `: ${uri}`].join('');
    return { type: 'text', text: description === undefined ? about : `${about}\n${description}` };
  }
  return block;
}

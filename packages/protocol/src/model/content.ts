import {
  array,
  either,
  jsonObject,
  number,
  object,
  oneOf,
  type Shape,
  type Shaped,
  string,
  variant,
} from '../shape.ts';
import { icon } from './implementation.ts';

/** Who speaks, or is spoken to, in a conversation. Spec: schema#role (2026-07-28). */
export const role = oneOf('user', 'assistant');
/** See {@link role}. */
export type Role = Shaped<typeof role>;

/**
 * Hints for whoever uses the content; `priority` runs from 0 to 1, `lastModified` is ISO 8601, and neither is checked.
 * Spec: server/resources#annotations (2026-07-28).
 */
export const annotations = object({}, { audience: array(role), priority: number, lastModified: string });
/** See {@link annotations}. */
export type Annotations = Shaped<typeof annotations>;

const annotated = { annotations, _meta: jsonObject };

const textResourceContents = object({ uri: string, text: string }, { mimeType: string, _meta: jsonObject });
/** A resource, or a part of one, as text. Spec: schema#textresourcecontents (2026-07-28). */
export type TextResourceContents = Shaped<typeof textResourceContents>;

const blobResourceContents = object({ uri: string, blob: string }, { mimeType: string, _meta: jsonObject });
/** A resource, or a part of one, as bytes; `blob` is base64. Spec: schema#blobresourcecontents (2026-07-28). */
export type BlobResourceContents = Shaped<typeof blobResourceContents>;

/** What a resource holds. Spec: server/resources#resource-contents (2026-07-28). */
export const resourceContents = either(textResourceContents, blobResourceContents);
/** See {@link resourceContents}. */
export type ResourceContents = Shaped<typeof resourceContents>;

const textContent = object({ type: oneOf('text'), text: string }, annotated);
/** Text for a model or a person. Spec: schema#textcontent (2026-07-28). */
export type TextContent = Shaped<typeof textContent>;

const imageContent = object({ type: oneOf('image'), data: string, mimeType: string }, annotated);
/** An image; `data` is base64. Spec: schema#imagecontent (2026-07-28). */
export type ImageContent = Shaped<typeof imageContent>;

const audioContent = object({ type: oneOf('audio'), data: string, mimeType: string }, annotated);
/** A sound; `data` is base64. Spec: schema#audiocontent (2026-07-28). */
export type AudioContent = Shaped<typeof audioContent>;

const resourceLink = object(
  { type: oneOf('resource_link'), uri: string, name: string },
  { ...annotated, title: string, description: string, mimeType: string, size: number, icons: array(icon) },
);
/** A resource by its URI, which need not be listed; `size` is in bytes. Spec: schema#resourcelink (2026-07-28). */
export type ResourceLink = Shaped<typeof resourceLink>;

const embeddedResource = object({ type: oneOf('resource'), resource: resourceContents }, annotated);
/** A resource with what it holds. Spec: schema#embeddedresource (2026-07-28). */
export type EmbeddedResource = Shaped<typeof embeddedResource>;

/** One block of content, told apart by `type`. Spec: schema#contentblock (2026-07-28). */
export type ContentBlock = TextContent | ImageContent | AudioContent | ResourceLink | EmbeddedResource;

/**
 * One block of content as it is received. A block of a type that this revision does not know passes unread, so that
 * nobody loses what a newer peer sends; the type names the known ones, so that a `switch` over them stays exact.
 */
export const contentBlock: Shape<ContentBlock> = variant(
  'type',
  {
    text: textContent,
    image: imageContent,
    audio: audioContent,
    resource_link: resourceLink,
    resource: embeddedResource,
  },
  object({ type: string }) as Shape<never>,
);

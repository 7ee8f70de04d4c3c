import { array, either, jsonObject, number, object, oneOf, type Shaped, string, variant } from '../shape.ts';
import { icon } from './implementation.ts';

export const role = oneOf('user', 'assistant');
export type Role = Shaped<typeof role>;

/** Hints for whoever uses the content. Spec: server/resources#annotations (2026-07-28). */
export const annotations = object({}, { audience: array(role), priority: number, lastModified: string });
export type Annotations = Shaped<typeof annotations>;

const annotated = { annotations, _meta: jsonObject };

export const textResourceContents = object({ uri: string, text: string }, { mimeType: string, _meta: jsonObject });
export type TextResourceContents = Shaped<typeof textResourceContents>;

/** `blob` is base64. */
export const blobResourceContents = object({ uri: string, blob: string }, { mimeType: string, _meta: jsonObject });
export type BlobResourceContents = Shaped<typeof blobResourceContents>;

export const resourceContents = either(textResourceContents, blobResourceContents);
export type ResourceContents = Shaped<typeof resourceContents>;

export const textContent = object({ type: oneOf('text'), text: string }, annotated);
export type TextContent = Shaped<typeof textContent>;

/** `data` is base64. */
export const imageContent = object({ type: oneOf('image'), data: string, mimeType: string }, annotated);
export type ImageContent = Shaped<typeof imageContent>;

/** `data` is base64. */
export const audioContent = object({ type: oneOf('audio'), data: string, mimeType: string }, annotated);
export type AudioContent = Shaped<typeof audioContent>;

export const resourceLink = object(
  { type: oneOf('resource_link'), uri: string, name: string },
  { ...annotated, title: string, description: string, mimeType: string, size: number, icons: array(icon) },
);
export type ResourceLink = Shaped<typeof resourceLink>;

export const embeddedResource = object({ type: oneOf('resource'), resource: resourceContents }, annotated);
export type EmbeddedResource = Shaped<typeof embeddedResource>;

const contentVariants = {
  text: textContent,
  image: imageContent,
  audio: audioContent,
  resource_link: resourceLink,
  resource: embeddedResource,
};

/** One block of content. Spec: schema#contentblock (2026-07-28). */
export type ContentBlock = TextContent | ImageContent | AudioContent | ResourceLink | EmbeddedResource;

/** A block of a type that this revision does not know: kept as it came, so that nobody loses what a newer peer sends. */
export const unknownContent = object({ type: string });

/** The shape of a block as it is received: the known types are checked, others are tolerated. */
export const receivedContentBlock = variant('type', contentVariants, unknownContent);

/**
 * Answers the media type of a `Content-Type` header in lower case and without parameters; `undefined` when there is
 * none.
 */
export function mediaTypeOf(contentType: string | null): string | undefined {
  const type = contentType?.split(';', 1)[0]?.trim().toLowerCase();
  return type === '' ? undefined : type;
}

/** Answers whether a media type is JSON, with or without a structured suffix. */
export function isJsonMediaType(mediaType: string): boolean {
  return mediaType === 'application/json' || mediaType.endsWith('+json');
}

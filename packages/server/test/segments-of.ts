import { type Segment, segmentMetaKey } from '@switchyard/server';

import type { MemoryRoute } from './memory-route.ts';

/** A segment as a test reads it. */
export interface ReadSegment extends Segment {
  readonly uri: string;
  readonly data: Buffer;
  readonly isText: boolean;
}

/** Reads one segment; an error response is thrown. */
export async function readSegment(route: MemoryRoute, uri: string): Promise<ReadSegment> {
  const { result, error } = await route.request('resources/read', { uri });
  if (error !== undefined) throw Object.assign(new Error(error.message), error);
  const [content] = (result?.['contents'] ?? []) as {
    text?: string;
    blob?: string;
    _meta: { [segmentMetaKey]: Segment };
  }[];
  if (content === undefined) throw new Error('a result without contents');
  const { text, blob = '', _meta } = content;
  const data = text === undefined ? Buffer.from(blob, 'base64') : Buffer.from(text);
  return { ..._meta[segmentMetaKey], uri, data, isText: text !== undefined };
}

/** Reads all segments from one on, by their links. */
export async function readSegments(route: MemoryRoute, uri: string): Promise<ReadSegment[]> {
  const segments: ReadSegment[] = [];
  for (let next: string | undefined = uri; next !== undefined; next = segments.at(-1)?.next)
    segments.push(await readSegment(route, next));
  return segments;
}

import type { Client } from '@switchyard/client';
import { createServer, type Segment, segmentMetaKey, type Server } from '@switchyard/server';
import { fileResource } from '@switchyard/server/node';
import * as z from 'zod';

/** A server of the log files in `root`: `web/2026-11-30.log` is `logs://web/2026-11-30`. */
export function createLogs(root: string): Server {
  return createServer({ name: 'logs', version: '1.0.0' }).resourceTemplate(
    'logs://{service}/{day}{?offset,limit,version}',
    {
      name: 'Log of a day',
      mimeType: 'text/plain',
      variables: z.object({ service: z.enum(['web', 'worker']), day: z.iso.date() }),
      segments: {},
    },
    ({ service, day }) => fileResource(`${service}/${day}.log`, { root }),
  );
}

/** Reads a log from its beginning to its end, one segment after the other. */
export async function* readLog(client: Client, uri: string): AsyncGenerator<string> {
  for (let next: string | undefined = uri; next !== undefined;) {
    const { text, segment }: Part = await readPart(client, next);
    yield text;
    next = segment.next;
  }
}

interface Part {
  readonly text: string;
  readonly segment: Segment;
}

async function readPart(client: Client, uri: string): Promise<Part> {
  const [content] = (await client.readResource(uri)).contents;
  if (content === undefined || !('text' in content)) throw new Error(`${uri} is no text`);
  return { text: content.text, segment: content._meta?.[segmentMetaKey] as Segment };
}

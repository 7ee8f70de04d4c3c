import {
  createServer,
  type ResourceReturn,
  type ResourceSource,
  segmentMetaKey,
  silentLogger,
} from '@switchyard/server';
import { describe, expect, it } from 'vitest';

import { openMemory } from './memory-route.ts';
import { createRecorder } from './recorder.ts';
import { type Received, requestOf } from './wire.ts';

const uri = 'mem://one';

interface Read {
  readonly text?: string;
  readonly blob?: string;
  readonly mimeType?: string;
  readonly _meta: { readonly [segmentMetaKey]: object };
}

async function answer(
  returned: () => ResourceReturn | Promise<ResourceReturn>,
  definition: { readonly mimeType?: string; readonly maxReadBytes?: number } = {},
): Promise<Received> {
  const server = createServer({ name: 's', version: '1.0.0' }, { logger: silentLogger });
  server.resource(uri, { name: 'one', ...definition }, returned);
  return openMemory(server).request('resources/read', { uri });
}

async function read(...args: Parameters<typeof answer>): Promise<Read> {
  const { result, error } = await answer(...args);
  if (error !== undefined) throw new Error(error.message);
  const [content] = (result?.['contents'] ?? []) as Read[];
  if (content === undefined) throw new Error('a result without contents');
  return content;
}

/** An endless stream, which tells what was done with it. */
function endless(chunk: Uint8Array | string): {
  stream: () => AsyncGenerator<Uint8Array | string>;
  seen: { chunks: number; closed: boolean };
} {
  const seen = { chunks: 0, closed: false };
  async function* stream(): AsyncGenerator<Uint8Array | string> {
    try {
      for (;;) {
        seen.chunks += 1;
        yield await Promise.resolve(chunk);
      }
    } finally {
      seen.closed = true;
    }
  }
  return { stream, seen };
}

async function* chunks(...items: readonly (Uint8Array | string)[]): AsyncGenerator<Uint8Array | string> {
  for (const item of items) yield await Promise.resolve(item);
}

/** What the log says of the causes of internal errors. */
function causesOf({ lines }: ReturnType<typeof createRecorder>): string {
  return lines.map(({ fields }) => String(fields['err'])).join();
}

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

describe('a stream that a reader returns', () => {
  it.each<[string, () => ResourceReturn, string | undefined, object]>([
    ['chunks of text', () => chunks('a', '', 'é', 'b'), undefined, { text: 'aéb' }],
    ['chunks of bytes', () => chunks(bytes('a'), bytes('b')), undefined, { blob: 'YWI=' }],
    ['both', () => chunks('a', bytes('b')), undefined, { blob: 'YWI=' }],
    [
      'bytes of a type of text',
      () => chunks(bytes('aé').subarray(0, 2), bytes('aé').subarray(2)),
      'text/plain',
      { text: 'aé' },
    ],
    ['bytes of JSON', () => chunks(bytes('{}')), 'application/json', { text: '{}' }],
    ['bytes of a type built on XML', () => chunks(bytes('<a/>')), 'image/svg+xml; charset=UTF-8', { text: '<a/>' }],
    ['text of a type of bytes', () => chunks('ab'), 'application/octet-stream', { blob: 'YWI=' }],
    ['bytes that are no UTF-8', () => chunks(Uint8Array.of(0x61, 0xff)), 'text/plain', { blob: 'Yf8=' }],
    ['bytes of another charset', () => chunks(Uint8Array.of(0xe9)), 'text/plain; charset=iso-8859-1', { blob: '6Q==' }],
    ['a byte order mark', () => chunks(bytes('\ufeffa')), 'text/plain', { text: '\ufeffa' }],
    ['a pair of surrogates in two chunks', () => chunks('a\ud83d', '', '\ude00b'), undefined, { text: 'a😀b' }],
    ['half a character at its end', () => chunks('a\ud83d'), undefined, { text: 'a\ufffd' }],
    ['half a character before bytes', () => chunks('a\ud83d', bytes('b')), 'text/plain', { text: 'a\ufffdb' }],
    ['nothing', () => chunks(), undefined, { text: '' }],
    ['a stream of the web', () => new Blob(['a', 'b']).stream(), 'text/plain', { text: 'ab' }],
  ])('[RES-05] [RES-18] is sent whole: %s', async (_, returned, mimeType, expected) => {
    const content = await read(returned, mimeType === undefined ? {} : { mimeType });
    expect(content).toMatchObject({ uri, ...expected });
    expect(content._meta[segmentMetaKey]).toMatchObject({ offset: 0, more: false });
  });

  it.each<[string, Uint8Array | string]>([
    ['bytes', new Uint8Array(10_000)],
    ['text', 'x'.repeat(10_000)],
    ['one large chunk', new Uint8Array(3_000_000)],
  ])('is read up to maxReadBytes, then closed: %s', async (_, chunk) => {
    const { stream, seen } = endless(chunk);
    const content = await read(stream);
    expect(content._meta[segmentMetaKey]).toEqual({ offset: 0, bytes: 1_048_576, more: true });
    expect(content.text?.length ?? Buffer.from(content.blob ?? '', 'base64').length).toBe(1_048_576);
    await expect.poll(() => seen.closed).toBe(true);
    expect(seen.chunks).toBe(Math.floor(1_048_576 / chunk.length) + 1);
  });

  it('is cut between two characters', async () => {
    const { stream } = endless('é');
    expect(await read(stream, { maxReadBytes: 5 })).toMatchObject({
      text: 'éé',
      _meta: { [segmentMetaKey]: { bytes: 4, more: true } },
    });
    expect(await read(() => chunks('abcde'), { maxReadBytes: 5 })).toMatchObject({
      _meta: { [segmentMetaKey]: { offset: 0, bytes: 5, more: false, size: 5 } },
    });
  });

  it('is cancelled where it belongs to the web', async () => {
    let cancelled = false;
    const stream = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(new Uint8Array(1_000)),
      cancel: () => {
        cancelled = true;
      },
    });
    await read(() => stream, { maxReadBytes: 5_000 });
    expect(cancelled).toBe(true);
  });

  it('is left when the caller goes away, even while it gives nothing', async () => {
    const caller = new AbortController();
    let left = false;
    const silent: AsyncIterable<Uint8Array> = {
      [Symbol.asyncIterator]: () => ({
        next() {
          queueMicrotask(() => caller.abort(new Error('gone')));
          return new Promise(() => {});
        },
        return() {
          left = true;
          return Promise.resolve({ done: true, value: undefined });
        },
      }),
    };
    const server = createServer({ name: 's', version: '1.0.0' }, { logger: silentLogger }).resource(
      uri,
      { name: 'one' },
      () => silent,
    );
    await openMemory(server, { signal: caller.signal }).send(requestOf('resources/read', { uri }));
    await expect.poll(() => left).toBe(true);
  });

  it.each<[string, () => ResourceReturn, RegExp]>([
    ['fails', () => failing(), /disk on fire/],
    ['gives a number', () => chunks(7 as unknown as string), /bytes or text, not number/],
    ['gives undefined', () => chunks(undefined as unknown as string), /bytes or text, not undefined/],
  ])('[RES-10] is -32603 with its cause in the log where it %s', async (_, returned, cause) => {
    const recorder = createRecorder();
    const server = createServer({ name: 's', version: '1.0.0' }, { logger: recorder });
    server.resource(uri, { name: 'one' }, returned);
    const { error } = await openMemory(server).request('resources/read', { uri });
    expect(error).toMatchObject({ code: -32603, message: expect.stringMatching(/^Internal error \(reference/) });
    expect(causesOf(recorder)).toMatch(cause);
  });
});

// oxlint-disable-next-line require-yield -- It fails before it gives anything.
async function* failing(): AsyncGenerator<string> {
  await Promise.resolve();
  throw new Error('disk on fire');
}

/** A source over text, in reads of at most `step` bytes, that counts how often it was closed. */
function sourceOf(
  text: string,
  step = Infinity,
  more: Partial<ResourceSource> = {},
): { source: ResourceSource; closed: () => number } {
  const all = bytes(text);
  let closed = 0;
  return {
    source: {
      size: all.length,
      read: (offset, length) => all.subarray(offset, offset + Math.min(length, step)),
      close: () => void (closed += 1),
      ...more,
    },
    closed: () => closed,
  };
}

describe('a source that a reader returns', () => {
  it('is read and closed once, in as many reads as it takes', async () => {
    const { source, closed } = sourceOf('hello é', 3, {
      mimeType: 'text/plain',
      version: 'v1',
      lastModified: '2026-01-01T00:00:00Z',
    });
    expect(await read(() => source)).toEqual({
      uri,
      mimeType: 'text/plain',
      text: 'hello é',
      _meta: {
        [segmentMetaKey]: {
          offset: 0,
          bytes: 8,
          more: false,
          size: 8,
          version: 'v1',
          lastModified: '2026-01-01T00:00:00Z',
        },
      },
    });
    expect(closed()).toBe(1);
  });

  it('is read up to maxReadBytes, whether its size is known or not', async () => {
    const { size: _, ...unknown } = sourceOf('x'.repeat(100)).source;
    for (const source of [sourceOf('x'.repeat(100)).source, unknown]) {
      const content = await read(() => source, { mimeType: 'text/plain', maxReadBytes: 10 });
      expect(content).toMatchObject({ text: 'x'.repeat(10), _meta: { [segmentMetaKey]: { bytes: 10, more: true } } });
    }
  });

  it('may be shorter than it says, and its true size is told', async () => {
    const { source } = sourceOf('abc', Infinity, { size: 10 });
    expect((await read(() => source))._meta[segmentMetaKey]).toEqual({ offset: 0, bytes: 3, more: false, size: 3 });
  });

  it.each<[string, Partial<ResourceSource>, RegExp]>([
    ['fails to read', { read: () => Promise.reject(new Error('disk on fire')) }, /disk on fire/],
    [
      'reads more than it should',
      { read: (_, length) => new Uint8Array(length + 1) },
      /no more bytes than it was asked/,
    ],
    ['reads text', { read: () => 'x' as never }, /must answer a Uint8Array/],
    ['has no size', { size: NaN }, /size of a resource source/],
    ['has a size below zero', { size: -1 }, /size of a resource source/],
    ['has a version without end', { version: 'v'.repeat(257) }, /at most 256 characters/],
  ])('[RES-10] is -32603 and closed all the same where it %s', async (_, more, cause) => {
    const { source, closed } = sourceOf('abc', Infinity, more);
    const recorder = createRecorder();
    const server = createServer({ name: 's', version: '1.0.0' }, { logger: recorder });
    server.resource(uri, { name: 'one' }, () => source);
    const { error } = await openMemory(server).request('resources/read', { uri });
    expect(error?.code).toBe(-32603);
    expect(causesOf(recorder)).toMatch(cause);
    expect(closed()).toBe(1);
  });
});

it.each([3, 70_000_000, 1.5, NaN])('a limit of %s bytes for a read is refused', (maxReadBytes) => {
  const server = createServer({ name: 's', version: '1.0.0' });
  expect(() => server.resource(uri, { name: 'one', maxReadBytes }, () => 'x')).toThrow(
    /maxReadBytes must be an integer/,
  );
});

import {
  createServer,
  type ResourceReturn,
  type ResourceTemplateDefinition,
  type Server,
  silentLogger,
} from '@switchyard/server';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';

import { type MemoryRoute, openMemory } from './memory-route.ts';
import { createRecorder } from './recorder.ts';
import { readSegment, readSegments } from './segments-of.ts';

const create = (): Server => createServer({ name: 'depot', version: '1.0.0' }, { logger: silentLogger });
const template = 'log://{name}{?offset,limit}';

function open(
  returned: (variables: object) => ResourceReturn | Promise<ResourceReturn>,
  definition: Omit<ResourceTemplateDefinition, 'name'> = {},
  uriTemplate = template,
): MemoryRoute {
  return openMemory(
    create().resourceTemplate(uriTemplate, { name: 'log', segments: {}, ...definition }, (variables) =>
      returned(variables),
    ),
  );
}

async function* streamOf(text: string, size = 7): AsyncGenerator<Uint8Array> {
  const bytes = new TextEncoder().encode(text);
  for (let at = 0; at < bytes.length; at += size) yield await Promise.resolve(bytes.subarray(at, at + size));
}

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const story = 'Grüße aus Köln, 日本語 und 😀. '.repeat(20);

describe('a resource in segments', () => {
  it.each<[string, (text: string) => ResourceReturn]>([
    ['text', (text) => text],
    ['bytes', bytesOf],
    ['a stream', (text) => streamOf(text)],
    ['a stream of text', (text) => new Blob([text]).stream().pipeThrough(new TextDecoderStream())],
    [
      'a source',
      (text) => ({
        size: bytesOf(text).length,
        read: (offset, length) => bytesOf(text).subarray(offset, offset + length),
      }),
    ],
    [
      'a source of unknown size',
      (text) => ({ read: (offset, length) => bytesOf(text).subarray(offset, offset + length) }),
    ],
  ])('[RES-05] is read whole by following the links, between characters: %s', async (_, returned) => {
    for (const limit of [4, 5, 7, 64, 1_000, 10_000]) {
      const route = open(() => returned(story), { mimeType: 'text/plain' });
      const segments = await readSegments(route, `log://a?limit=${limit}`);
      expect(Buffer.concat(segments.map(({ data }) => data)).toString()).toBe(story);
      let offset = 0;
      for (const segment of segments) {
        expect(segment).toMatchObject({ offset, bytes: segment.data.length, isText: true });
        expect(segment.bytes).toBeLessThanOrEqual(limit);
        offset += segment.bytes;
      }
      expect(segments.map(({ more }) => more)).toEqual(segments.map((__, index) => index < segments.length - 1));
    }
  });

  it('is text or bytes as its type says, whatever it holds, and nothing is lost', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ maxLength: 60 }),
        fc.integer({ min: 4, max: 20 }),
        fc.constantFrom('text/plain', 'image/png'),
        async (bytes, limit, mimeType) => {
          const segments = await readSegments(
            open(() => bytes, { mimeType }),
            `log://a?limit=${limit}`,
          );
          expect(Buffer.concat(segments.map(({ data }) => data))).toEqual(Buffer.from(bytes));
          if (mimeType === 'image/png') expect(segments.some(({ isText }) => isText)).toBe(false);
        },
      ),
      { numRuns: 300 },
    );
  });

  it('holds 65,536 bytes by default, and 1,048,576 at most whatever is asked for', async () => {
    const route = open(() => new Uint8Array(2_000_000));
    expect(await readSegment(route, 'log://a')).toMatchObject({
      bytes: 65_536,
      size: 2_000_000,
      next: 'log://a?offset=65536&limit=65536',
    });
    expect((await readSegment(route, 'log://a?limit=1500000')).bytes).toBe(1_048_576);
    const small = open(() => new Uint8Array(2_000_000), { segments: { bytes: 10, maxBytes: 20 } });
    expect((await readSegment(small, 'log://a')).bytes).toBe(10);
    expect((await readSegment(small, 'log://a?limit=21')).next).toBe('log://a?offset=20&limit=20');
  });

  it('may begin anywhere, and is bytes where that is within a character', async () => {
    const route = open(() => 'aéb');
    expect(await readSegment(route, 'log://a?offset=1')).toMatchObject({ isText: true, data: Buffer.from('éb') });
    expect(await readSegment(route, 'log://a?offset=2')).toMatchObject({
      isText: false,
      data: Buffer.from('aéb').subarray(2),
    });
  });

  it('may be empty as a whole', async () => {
    for (const returned of ['', new Uint8Array(0), streamOf('')])
      expect(
        await readSegments(
          open(() => returned),
          'log://a',
        ),
      ).toMatchObject([{ bytes: 0, more: false, size: 0 }]);
  });

  it.each<[string, string, string, string]>([
    ['{?offset,limit}', 'log://{name}{?offset,limit}', 'log://a', 'log://a?offset=4&limit=4'],
    [
      'other members',
      'log://{name}{?day,offset,limit}',
      'log://a?limit=9&day=x%20y&offset=0',
      'log://a?day=x%20y&offset=4&limit=4',
    ],
    ['a fixed query', 'log://{name}?v=1{&offset,limit}', 'log://a?v=1', 'log://a?v=1&offset=4&limit=4'],
    [
      'names that are spelled with escapes',
      'log://{name}{?offset,limit}',
      'log://a?%6fffset=0',
      'log://a?offset=4&limit=4',
    ],
    ['a path', 'log:///{+name}{?offset,limit}', 'log:///a/b%20c', 'log:///a/b%20c?offset=4&limit=4'],
    ['a value with escapes', 'log://{name}{?offset,limit}', 'log://100%25', 'log://100%25?offset=4&limit=4'],
  ])('links to the next one with %s', async (_, uriTemplate, uri, next) => {
    expect(
      (
        await readSegment(
          open(() => '0123456789', { segments: { bytes: 4, maxBytes: 4 } }, uriTemplate),
          uri,
        )
      ).next,
    ).toBe(next);
  });

  it('keeps offset and limit from the handler and from the schema', async () => {
    const seen: unknown[] = [];
    const variables = z.object({ name: z.string().max(3), day: z.int().default(1) });
    const route = open(
      (got) => {
        seen.push({ ...got });
        return 'x';
      },
      { variables },
      'log://{name}{?day,offset,limit}',
    );
    await readSegment(route, 'log://a?offset=0&limit=9');
    await readSegment(route, 'log://a?day=2');
    await expect(readSegment(route, 'log://abcd?offset=0')).rejects.toMatchObject({ code: -32602 });
    expect(seen).toEqual([
      { name: 'a', day: 1 },
      { name: 'a', day: 2 },
    ]);
  });

  it.each([
    'offset=-1',
    'offset=1.5',
    'offset=01',
    'offset=1e3',
    'offset=',
    'offset=a',
    'offset=9007199254740993',
    'limit=3',
    'limit=0',
    'limit=-4',
    'limit=x',
    'limit=',
  ])('[RES-15] is -32602 before the handler for %s', async (query) => {
    let runs = 0;
    const route = open(() => String((runs += 1)));
    const uri = `log://a?${query}`;
    await expect(readSegment(route, uri)).rejects.toMatchObject({
      code: -32602,
      data: { uri },
      message: expect.stringMatching(/must be an integer of at least/),
    });
    expect(runs).toBe(0);
  });

  it.each<[string, () => ResourceReturn]>([
    ['text', () => '0123456789'],
    ['a stream', () => streamOf('0123456789')],
    [
      'a source of unknown size',
      () => ({ read: (offset, length) => bytesOf('0123456789').subarray(offset, offset + length) }),
    ],
  ])('[RES-08] is -32602 where it begins at or after the end of %s', async (_, returned) => {
    const route = open(returned);
    expect((await readSegment(route, 'log://a?offset=9')).data.toString()).toBe('9');
    for (const offset of [10, 11, 1_000_000]) {
      const uri = `log://a?offset=${offset}`;
      await expect(readSegment(route, uri)).rejects.toMatchObject({
        code: -32602,
        data: { uri },
        message: expect.stringMatching(/ends before the offset/),
      });
    }
  });

  it('[RES-08] is -32602 where a stream would have to be read in vain too far', async () => {
    const route = open(() => streamOf('0123456789'), { segments: { maxSkipBytes: 5 } });
    expect((await readSegment(route, 'log://a?offset=5')).data.toString()).toBe('56789');
    await expect(readSegment(route, 'log://a?offset=6')).rejects.toMatchObject({ code: -32602 });
  });

  it('links to no next one whose URI would be too long to be read', async () => {
    const route = open(() => '0123456789', { maxVariableChars: 8_192 });
    for (const [chars, links] of [
      [8_192 - 'log://?offset=4&limit=4'.length, true],
      [8_192 - 'log://?limit=4'.length, false],
    ] as const) {
      const { next, more, uri } = await readSegment(route, `log://${'x'.repeat(chars)}?limit=4`);
      expect(more).toBe(true);
      expect(uri.length).toBeLessThanOrEqual(8_192);
      expect(next?.length).toBe(links ? 8_192 : undefined);
      if (next !== undefined) expect((await readSegment(route, next)).data.toString()).toBe('4567');
    }
  });

  it('[RES-08] is -32602 where there is no such resource', async () => {
    await expect(
      readSegment(
        open(() => undefined),
        'log://a?offset=5',
      ),
    ).rejects.toMatchObject({ code: -32602, message: 'Resource not found' });
  });

  it('is refused once its source has another version, where the template takes one', async () => {
    let version = 'v 1';
    const returned = (): ResourceReturn => ({ size: 10, version, read: (_, length) => new Uint8Array(length) });
    const uriTemplate = 'log://{name}{?offset,limit,version}';
    const route = open(returned, {}, uriTemplate);
    const first = await readSegment(route, 'log://a?limit=4');
    expect(first).toMatchObject({ version: 'v 1', next: 'log://a?offset=4&limit=4&version=v%201' });
    expect((await readSegment(route, String(first.next))).next).toBe('log://a?offset=8&limit=4&version=v%201');
    version = 'v 2';
    await expect(readSegment(route, String(first.next))).rejects.toMatchObject({
      code: -32602,
      message: expect.stringMatching(/has changed.*offset 0/),
      data: { uri: first.next, version: 'v 2' },
    });
    const unpinned = open(returned);
    expect(await readSegment(unpinned, 'log://a?offset=4')).toMatchObject({ version: 'v 2', bytes: 6 });
  });

  it.each<[string, string, Omit<ResourceTemplateDefinition, 'name'>, RegExp]>([
    ['without {?offset,limit}', 'log://{name}', {}, /must end in \{\?offset,limit\}/],
    ['with {?offset} alone', 'log://{name}{?offset}', {}, /must end in/],
    ['with something behind it', 'log://{name}{?offset,limit}/x', {}, /must end in/],
    [
      'with a default over the most',
      template,
      { segments: { bytes: 10, maxBytes: 9 } },
      /segments\.bytes must be an integer from 4 to 9/,
    ],
    [
      'with too large a most',
      template,
      { segments: { maxBytes: 20_000_000 } },
      /segments\.maxBytes must be an integer from 4 to 16777216/,
    ],
    ['with too far a skip', template, { segments: { maxSkipBytes: -1 } }, /segments\.maxSkipBytes/],
    [
      'with offset in the schema',
      template,
      { variables: z.object({ name: z.string(), offset: z.int() }) },
      /"offset", which is no variable/,
    ],
  ])('cannot be defined %s', (_, uriTemplate, definition, message) => {
    expect(() =>
      create().resourceTemplate(uriTemplate, { name: 'log', segments: {}, ...definition }, () => 'x'),
    ).toThrow(message);
  });

  it('[RES-10] is -32603 where the handler returns contents, of which there are no segments', async () => {
    const recorder = createRecorder();
    const server = createServer({ name: 's', version: '1.0.0' }, { logger: recorder });
    server.resourceTemplate(template, { name: 'log', segments: {} }, () => ({ uri: 'log://a', text: 'x' }));
    const { error } = await openMemory(server).request('resources/read', { uri: 'log://a' });
    expect(error?.code).toBe(-32603);
    expect(String(recorder.lines[0]?.fields['err'])).toMatch(
      /must return text, bytes, a source, a stream or undefined/,
    );
  });

  it('[RES-07] is listed with the variables that ask for segments', async () => {
    const { result } = await open(() => 'x').request('resources/templates/list');
    expect(result?.['resourceTemplates']).toEqual([{ uriTemplate: template, name: 'log' }]);
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { FetchBody } from '../../src/index.ts';
import { readEventStream, type StreamPlace } from '../../src/http/read-event-stream.ts';

/** A body that comes in the parts between the cuts. */
function bodyOf(bytes: Uint8Array, cuts: readonly number[]): FetchBody & { readonly reads: () => number } {
  const ends = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b);
  const parts = [...ends, bytes.length].map((end, index, all) => bytes.subarray(all[index - 1] ?? 0, end));
  let reads = 0;
  const cancel = (): Promise<void> => Promise.resolve();
  return {
    cancel,
    reads: () => reads,
    getReader: () => ({
      cancel,
      read() {
        const value = parts[reads];
        reads += 1;
        return Promise.resolve(value === undefined ? { done: true } : { done: false, value });
      },
    }),
  };
}

interface Read {
  readonly data: readonly string[];
  readonly others: readonly string[];
  readonly place: StreamPlace;
}

async function read(text: string, cuts: readonly number[] = []): Promise<Read> {
  const data: string[] = [];
  const others: string[] = [];
  const place: StreamPlace = {};
  await readEventStream(bodyOf(new TextEncoder().encode(text), cuts), {
    maxEventLength: 1_000_000,
    place,
    onDone: () => undefined,
    onOther: (event, said) => void others.push(`${event}:${said}`),
    onData: (said) => {
      data.push(said);
      return false;
    },
  });
  return { data, others, place };
}

const lineEnd = fc.constantFrom('\n', '\r', '\r\n');
const plain = fc.string({ unit: 'binary', maxLength: 12 }).map((text) => text.replace(/[\r\n\0]/g, ''));
const field = fc.oneof(
  plain.map((value) => `data: ${value}`),
  plain.map((value) => `data:${value}`),
  fc.constant('data'),
  plain.map((value) => `:${value}`),
  fc.constantFrom(
    'event: message',
    'event:other',
    'event',
    'retry: 250',
    'retry: soon',
    'id: a-1',
    'id:',
    'unknown: 1',
  ),
);
const event = fc.array(field, { maxLength: 6 });

describe('an event stream of any legal shape', () => {
  it('[http-03] is read the same wherever it is cut, and whatever its lines end in', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(event, { maxLength: 6 }),
        lineEnd,
        fc.boolean(),
        fc.array(fc.nat(), { maxLength: 30 }),
        async (events, end, hasMark, cuts) => {
          const withEnds = (eol: string): string => events.map((lines) => [...lines, '', ''].join(eol)).join('');
          const whole = await read(withEnds('\n'));
          const cut = await read(`${hasMark ? '\uFEFF' : ''}${withEnds(end)}`, cuts);
          expect(cut).toEqual(whole);
        },
      ),
      { numRuns: 300 },
    );
  });

  it('[http-03] is read the same when it comes byte by byte', async () => {
    const text = '\uFEFFid: 1\r\ndata: {"é":\r\ndata: "😀"}\r\n\r\n: keep\r\n\r\nevent: x\ndata: y\n\ndata: z\r\r';
    const expected = { data: ['{"é":\n"😀"}', 'z'], others: ['x:y'], place: { lastEventId: '1' } };
    expect(await read(text)).toEqual(expected);
    expect(
      await read(
        text,
        Array.from({ length: 200 }, (_, at) => at),
      ),
    ).toEqual(expected);
  });

  it('is read as it comes: a line that ends in CR waits for nothing', async () => {
    const body = bodyOf(new TextEncoder().encode('data: answer\r\r: more'), [14]);
    const end = await readEventStream(body, {
      maxEventLength: 100,
      onDone: () => undefined,
      onData: () => true,
    });
    expect(end).toBe('done');
    expect(body.reads()).toBe(1);
  });

  it('has no place of an event that never became whole, or whose id no header can carry', async () => {
    expect((await read('id: 1\ndata: a\n\nid: 2\ndata: b')).place).toEqual({ lastEventId: '1' });
    expect((await read('id: 1\ndata: a\n\nid: 雪\ndata: b\n\n')).place).toEqual({ lastEventId: '1' });
  });
});

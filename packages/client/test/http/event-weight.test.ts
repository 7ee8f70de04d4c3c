import { describe, expect, it } from 'vitest';
import { readEventStream } from '../../src/http/read-event-stream.ts';

const MAX = 100_000;

/** Reads a stream that repeats `chunk` up to `maxChars`; answers how it ended and how much was read. */
async function readRepeated(chunk: string, maxChars: number): Promise<{ readonly end: string; readonly read: number }> {
  const bytes = new TextEncoder().encode(chunk);
  let read = 0;
  const end = await readEventStream(
    {
      cancel: () => Promise.resolve(),
      getReader: () => ({
        cancel: () => Promise.resolve(),
        read() {
          if (read >= maxChars) return Promise.resolve({ done: true });
          read += bytes.length;
          return Promise.resolve({ done: false, value: bytes });
        },
      }),
    },
    { maxEventLength: MAX, onData: () => false, onDone: () => undefined },
  );
  return { end, read };
}

describe('an event', () => {
  it.each(['data:\n', 'data\n', 'data: \r', 'data:x\r\n'])(
    'of countless lines %j is too large long before its data is',
    async (line) => {
      const { end, read } = await readRepeated(line.repeat(1000), 100 * MAX);
      expect(end).toBe('too-large');
      expect(read).toBeLessThan(MAX);
    },
  );

  it('that is cut anywhere weighs the same', async () => {
    for (const size of [1, 2, 3, 5, 7]) {
      const { end } = await readRepeated('data:\n'.repeat(7).slice(0, size * 6), 100 * MAX);
      expect(end).toBe('too-large');
    }
  });

  it.each([
    ['comments', ': ping\n'],
    ['whole events', 'data: {}\n\n'],
    ['ids of nothing', 'id: 1\n\n'],
  ])('is not what %s make together, however many', async (_what, text) => {
    expect((await readRepeated(text.repeat(1000), 20 * MAX)).end).toBe('ended');
  });

  it('of data as long as allowed is read, also in lines of a printed text', async () => {
    const lines = `data: ${'x'.repeat(63)}\n`.repeat(Math.floor(MAX / 64));
    expect((await readRepeated(`${lines}\n`, 1)).end).toBe('ended');
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { MessageEdges } from '../src/message/message-edges.ts';
import { createLineReader } from '../src/duplex/line-reader.ts';

interface Seen {
  readonly lines: string[];
  readonly tooLarge: MessageEdges[];
}

function read(chunks: readonly Uint8Array[], maxLineBytes: number): Seen {
  const seen: Seen = { lines: [], tooLarge: [] };
  const reader = createLineReader({
    maxLineBytes,
    onLine: (text) => seen.lines.push(text),
    onTooLarge: (line) => seen.tooLarge.push(line),
    onInvalid: () => seen.lines.push('<invalid>'),
  });
  for (const chunk of chunks) reader.push(chunk);
  reader.end();
  return seen;
}

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const filler = 'q'.repeat(3000);

describe('a line over the limit', () => {
  it.each<[string, string, string | number | undefined, boolean]>([
    ['the id first', `{"id":7,"jsonrpc":"2.0","result":{"t":"${filler}"}}`, 7, true],
    ['the id second', `{"jsonrpc":"2.0","id":7,"result":{"t":"${filler}"}}`, 7, true],
    ['the id last', `{"result":{"t":"${filler}"},"jsonrpc":"2.0","id":7}`, 7, true],
    ['the version last', `{"result":{"t":"${filler}"},"id":7,"jsonrpc":"2.0"}`, 7, true],
    ['spaces everywhere', `{ "jsonrpc" : "2.0" , "id" : 7 , "result" : { "t" : "${filler}" } }`, 7, true],
    ['a string as id', `{"jsonrpc":"2.0","id":"a\\"b","result":{"t":"${filler}"}}`, 'a"b', true],
    ['an id within the result only', `{"result":{"t":"${filler}","id":7}}`, undefined, true],
    ['a batch', `[{"jsonrpc":"2.0","id":7,"result":{"t":"${filler}"}}]`, undefined, true],
    ['a notification', `{"jsonrpc":"2.0","method":"x","params":{"t":"${filler}"}}`, undefined, false],
    ['a notification, method last', `{"jsonrpc":"2.0","params":{"t":"${filler}"},"method":"x"}`, undefined, false],
    ['a request of the peer', `{"jsonrpc":"2.0","id":7,"method":"x","params":{"t":"${filler}"}}`, 7, false],
    ['such a request, id last', `{"method":"x","params":{"t":"${filler}"},"jsonrpc":"2.0","id":7}`, undefined, false],
    ['junk', filler, undefined, false],
  ])('is told with its id where there is one, and as what it may be: %s', (_name, line, id, isAnswer) => {
    const whole = bytes(`${line}\n{"next":1}\n`);
    for (const size of [whole.length, 1000, 7, 1]) {
      const chunks: Uint8Array[] = [];
      for (let at = 0; at < whole.length; at += size) chunks.push(whole.subarray(at, at + size));
      expect(read(chunks, 2000)).toEqual({ lines: ['{"next":1}'], tooLarge: [{ id, isAnswer }] });
    }
  });

  it('is told once even when it never ends', () => {
    const { tooLarge } = read([bytes(`{"id":7,${filler}`), bytes(filler), bytes(filler)], 2000);
    expect(tooLarge).toEqual([{ id: 7, isAnswer: true }]);
  });
});

it('gives the same lines and ids however the bytes are split', () => {
  const line = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 40 }).map((text) => text.replaceAll(/[\r\n]/g, '')),
    fc.nat(1000).map((id) => `{"jsonrpc":"2.0","id":${id},"result":{"t":"${'é'.repeat(60)}"}}`),
    fc.nat(1000).map((id) => `{"result":{"t":"${'é'.repeat(60)}"},"jsonrpc":"2.0","id":${id}}`),
  );
  fc.assert(
    fc.property(fc.array(line, { maxLength: 8 }), fc.array(fc.nat(400)), (lines, cuts) => {
      const whole = bytes(lines.map((text) => `${text}\n`).join(''));
      const places = [...new Set([0, ...cuts.map((cut) => Math.min(cut, whole.length)), whole.length])].sort(
        (a, b) => a - b,
      );
      const chunks = places.slice(1).map((end, index) => whole.subarray(places[index], end));
      expect(read(chunks, 100)).toEqual(read([whole], 100));
    }),
    { interruptAfterTimeLimit: 5000 },
  );
});
